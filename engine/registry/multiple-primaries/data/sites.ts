// Lists of ICD-O-3 sites, named as the rules call them. `C50` means C500 to C509. Ranges are inclusive.

export const SITES = {
  // Sites that counted as one before 2007.
  tongue: 'C01 C02',
  mouth: 'C05 C06',
  salivary: 'C07 C08',
  oropharynx: 'C09 C10',
  hypopharynx: 'C12 C13',
  biliary: 'C23 C24',
  sinus: 'C30 C31',
  lung: 'C33 C34',
  maleGenital: 'C60 C63',
  kidneyOrUrinary: 'C64-C66 C68',
  endocrine: 'C74 C75',
  mediastinum: 'C370-C379 C380-C383 C388',
  femaleGenital: 'C510-C519 C520-C529 C577-C579',
  ovaryOrFemaleGenital: 'C569 C570-C574',
  exactMatchSites: 'C18 C21 C38 C40 C41 C44 C47 C49',
  allPairedSites: `
    C079 C080 C081 C090-C099 C300 C301 C310 C312 C340-C349 C384 C400-C403 C413 C414 C441-C443
    C445-C447 C471 C472 C491 C492 C500-C509 C569 C570 C620-C629 C630 C631 C649 C659 C669 C690-C699
    C700 C710-C714 C722-C725 C740-C749 C754
  `,

  // Organs.
  breast: 'C50',
  colon: 'C18',
  rectosigmoid: 'C199',
  rectum: 'C209',
  smallBowel: 'C17',
  lymphNode: 'C77',
  thyroid: 'C739',
  ovary: 'C569',
  prostate: 'C619',
  bladder: 'C67',
  renalPelvis: 'C659',
  ureter: 'C669',
  urethra: 'C680',
  urothelialSites: 'C659 C669 C670-C679 C680',

  // Head and neck.
  upperLip: 'C000 C003',
  lowerLip: 'C001 C004',
  upperGum: 'C030',
  lowerGum: 'C031',
  hardPalate: 'C050',
  softPalate: 'C051',
  uvula: 'C052',
  maxilla: 'C410',
  mandible: 'C411',
  submandibularGland: 'C080',
  sublingualGland: 'C081',
  nasalCavity: 'C300',
  middleEar: 'C301',
  maxillarySinus: 'C310',
  ethmoidSinus: 'C311',
  frontalSinus: 'C312',
  sphenoidSinus: 'C313',
  postcricoid: 'C130',
  aryepiglotticFold: 'C131',
  posteriorHypopharynx: 'C132',
  larynx: 'C320-C323',
  aorticBody: 'C755',
  carotidBody: 'C754',

  // Central nervous system.
  brain: 'C710-C719',
  cerebralMeninges: 'C700',
  spinalMeninges: 'C701',
  spinalCord: 'C720',
  caudaEquina: 'C721',
  cranialNerves: 'C722-C725',
  meningesOfNervesMalignant: 'C709',
  meningesOfNervesNonMalignant: 'C700',
} as const
