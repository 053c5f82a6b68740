import type { NaiveData } from './naive-data.ts'
import {
  type Answer,
  and,
  areOpposite,
  areSided,
  atBoth,
  behave,
  bothAt,
  bothIn,
  codes,
  cross,
  crossAt,
  follows,
  invasive,
  invasiveAfter60,
  isAt,
  isIn,
  laterality,
  laterOf,
  multiple,
  type NaiveRule,
  ofBoth,
  ofCross,
  paired,
  rowIn,
  sidesIn,
  single,
  site3,
  site4,
  specific,
  stem,
  when,
  withinDays,
  years,
} from './naive-rules.ts'
import { daysApart, type NaiveTumour, orderOf } from './naive-tumour.ts'

// The rules until 2022, by step (multiple-primaries.md 5).

export type NaiveModule = Readonly<Record<string, NaiveRule>>

/** By a distance: unknown is the outcome perhaps, and the given one is the outcome. */
function byDistance(a: NaiveTumour, b: NaiveTumour, at: 'WITHIN' | 'APART', outcome: 'S' | 'M') {
  const distance = daysApart(a, b, 60)
  if (distance === 'UNKNOWN') return `~${outcome}` as const
  return distance === at ? outcome : undefined
}

export function benignBrain2006(data: NaiveData): NaiveModule {
  const label = rowIn(data.rows('benign_brain_2004_histology_grouping'))
  const isSame = (a: NaiveTumour, b: NaiveTumour) => {
    const [one, other] = [label(a), label(b)]
    return one !== undefined && other !== undefined ? one === other : stem(a, b) === undefined
  }
  const bothSame = (a: NaiveTumour, b: NaiveTumour) => a.part === b.part && isSame(a, b)
  return {
    M1: when((a, b) => bothSame(a, b) && areSided(a, b) && a.side === b.side, single),
    M2: when((a, b) => bothSame(a, b) && !areSided(a, b), single),
    M3: when((a, b) => a.part !== b.part && isSame(a, b), multiple),
    M4: when((a, b) => isSame(a, b) && areOpposite(a, b), multiple),
    M5: (a, b) => (isSame(a, b) ? 'S' : 'M'),
  }
}

const REGIONS = [
  ...['tongue', 'mouth', 'salivary', 'oropharynx', 'hypopharynx', 'biliary', 'sinus', 'lung'],
  ...['male_genital', 'kidney_or_urinary', 'endocrine'],
]

export function solid2006(data: NaiveData): NaiveModule {
  const exact = data.set('exact_match_sites')
  const regions = REGIONS.map((name) => data.set(name))
  const wide = ['mediastinum', 'female_genital', 'ovary_or_female_genital'].map((name) =>
    data.scalar(name),
  )
  const isSite = (a: NaiveTumour, b: NaiveTumour) =>
    a.site === b.site ||
    (a.part === b.part && !exact.has(a.part)) ||
    regions.some((region) => region.has(a.part) && region.has(b.part)) ||
    wide.some((places) => bothAt(a, b, places))
  const [small, large] = [data.set('small_cell_carcinoma'), data.set('non_small_cell_carcinoma')]
  const isKind = (a: NaiveTumour, b: NaiveTumour) =>
    stem(a, b) === undefined && !cross(a, b, small, large)
  const arePaired = (a: NaiveTumour, b: NaiveTumour) =>
    bothAt(a, b, data.scalar('all_paired_sites'))
  const isNear = (a: NaiveTumour, b: NaiveTumour) => daysApart(a, b, 60) !== 'APART'
  const isFar = (a: NaiveTumour, b: NaiveTumour) => daysApart(a, b, 60) !== 'WITHIN'
  const sided = (a: NaiveTumour, b: NaiveTumour, outcome: 'S' | 'M'): Answer => {
    if (!areSided(a, b)) return `~${outcome}`
    return areOpposite(a, b) ? byDistance(a, b, 'WITHIN', outcome) : undefined
  }
  const adenocarcinoma = data.set('adenocarcinoma_specific', 'adenocarcinoma_nos')
  const transitional = data.set(
    'transitional_cell_carcinoma',
    'papillary_transitional_cell_carcinoma',
  )
  const retinoblastoma = data.set('retino_blastoma')
  const [wilms, kaposi] = [codes('8960'), codes('9140')]
  const general = ['carcinoma', 'adenocarcinoma', 'melanoma', 'sarcoma'].map(
    (name) => [data.set(`${name}_nos`), data.set(`${name}_specific`)] as const,
  )
  const polyposis = data.set('familial_adenomatous_polyposis')
  const thyroid = data.set('follicular', 'papillary')
  const urothelial = new Set([...transitional, '8050'])
  const ductal = data.set('duct_carcinoma', 'lobular_carcinoma')
  const paget = data.set('paget_disease', 'duct_carcinoma', 'intraductal_carcinoma')
  const isOneOfKinds = (a: NaiveTumour, b: NaiveTumour) =>
    general.some(([nos, rest]) => cross(a, b, nos, rest)) ||
    (bothAt(a, b, 'C18,C209') && bothIn(a, b, polyposis)) ||
    (bothAt(a, b, 'C739') && bothIn(a, b, thyroid)) ||
    (bothAt(a, b, 'C67') && bothIn(a, b, urothelial)) ||
    (bothAt(a, b, 'C50') && (bothIn(a, b, ductal) || bothIn(a, b, paget)))
  return {
    M3: when(
      (a, b) => isSite(a, b) && isKind(a, b) && isNear(a, b),
      (a, b) => {
        if (arePaired(a, b) && areOpposite(a, b)) return undefined
        if (arePaired(a, b) && !areSided(a, b)) return '~S'
        return byDistance(a, b, 'WITHIN', 'S')
      },
    ),
    M4: when(
      (a, b) => isSite(a, b) && isKind(a, b) && arePaired(a, b) && isNear(a, b),
      (a, b) => {
        const isOne = bothAt(a, b, 'C569') || bothIn(a, b, retinoblastoma) || bothIn(a, b, wilms)
        return sided(a, b, isOne ? 'S' : 'M')
      },
    ),
    M5: (a, b) => {
      const isProstate = bothAt(a, b, 'C619') && bothIn(a, b, adenocarcinoma)
      const isBladder = bothAt(a, b, 'C67') && bothIn(a, b, transitional)
      if (behave(a, b, '3') && (isProstate || isBladder)) return 'S'
      if (bothIn(a, b, kaposi)) return 'S'
      if (!isSite(a, b) || !isKind(a, b)) return undefined
      return byDistance(a, b, 'APART', 'M')
    },
    M6: when(
      (a, b) => isSite(a, b) && !isKind(a, b) && isNear(a, b),
      (a, b) => {
        const outcome = isOneOfKinds(a, b) ? 'S' : 'M'
        if (arePaired(a, b) && areOpposite(a, b)) return undefined
        if (arePaired(a, b) && !areSided(a, b)) return `~${outcome}`
        return byDistance(a, b, 'WITHIN', outcome)
      },
    ),
    M7: when(
      (a, b) => isSite(a, b) && !isKind(a, b) && arePaired(a, b) && isNear(a, b),
      (a, b) => sided(a, b, 'M'),
    ),
    M8: when(
      (a, b) => isSite(a, b) && !isKind(a, b) && isFar(a, b),
      (a, b) => byDistance(a, b, 'APART', 'M'),
    ),
    M9: when((a, b) => !isSite(a, b) && !isKind(a, b), multiple),
    M10: (a, b) => (!isSite(a, b) && isKind(a, b) ? 'M' : 'S'),
  }
}

export function headAndNeck2007(data: NaiveData): NaiveModule {
  const apart = (one: string, other: string) =>
    when((a, b) => crossAt(a, b, data.list(one).join(), data.list(other).join()), multiple)
  return {
    M3: paired(['C079', 'C080,C081', 'C090,C091,C098,C099', 'C300', 'C310,C312', 'C301']),
    M4: apart('upper_lip', 'lower_lip'),
    M5: apart('upper_gum', 'lower_gum'),
    M6: apart('nasal_cavity', 'middle_ear'),
    M7: site3,
    M8: invasiveAfter60,
    M9: years(5),
    M10: specific(data, '8000', '8010', '8140', '8070', '8720', '8800'),
    M11: stem,
    M12: single,
  }
}

export function colon2007(data: NaiveData): NaiveModule {
  const polyposis = data.set('famillial_polyposis')
  const polyp = data.set('polyp')
  const adenocarcinoma = data.set('adenocarcinoma_specific', 'adenocarcinoma_nos')
  return {
    M3: when(
      (a, b) => cross(a, b, polyposis, polyp) && [a, b].some(({ behavior }) => behavior === '3'),
      single,
    ),
    M4: site4,
    M5: years(1),
    M6: invasiveAfter60,
    M7: when((a, b) => cross(a, b, adenocarcinoma, polyp), single),
    M8: specific(data, '8000', '8010', '8140', '8800'),
    M9: when((a, b) => bothIn(a, b, polyp), single),
    M10: stem,
    M11: single,
  }
}

export function lung2007(data: NaiveData): NaiveModule {
  const large = data.set('non_small_cell_carcinoma')
  const mixed = data.set('adenocarcinoma_with_mixed_subtypes')
  const isBoth = ({ side }: NaiveTumour) => side === '4'
  return {
    M3: site3,
    M4: when(ofCross(large, data.set('small_cell_carcinoma')), multiple),
    M5: when(ofCross(mixed, data.set('bronchioalveolar')), multiple),
    M6: (a, b) => {
      if (!sidesIn(a, b, '124')) return '~M'
      return areOpposite(a, b) ? 'M' : undefined
    },
    M7: when((a, b) => isBoth(a) || isBoth(b), stem),
    M8: years(3),
    M9: invasiveAfter60,
    M10: when(ofCross(large, data.set('specific_non_small_cell_carcinoma')), single),
    M11: stem,
    M12: single,
  }
}

export function melanoma2007(): NaiveModule {
  return {
    M3: site4,
    M4: (a, b) => {
      if (!sidesIn(a, b, '125')) return '~M'
      return a.side !== b.side ? 'M' : undefined
    },
    M5: stem,
    M6: invasiveAfter60,
    M7: (a, b) => byDistance(a, b, 'APART', 'M'),
    M8: single,
  }
}

export function breast2007(data: NaiveData): NaiveModule {
  const ductal = data.set('intraductal_carcinoma', 'duct_carcinoma')
  return {
    M4: site3,
    M5: years(5),
    M6: when(invasive('8530'), single),
    M7: laterality,
    M8: invasiveAfter60,
    M9: when(ofCross(data.set('paget_disease'), ductal), single),
    M10: when(ofCross(codes('8520'), ductal), single),
    M11: when(ofBoth(ductal), single),
    M12: stem,
    M13: single,
  }
}

export function kidney2007(data: NaiveData): NaiveModule {
  const renal = data.set('specific_renal_cell_histologies')
  return {
    M3: when(invasive('8960'), single),
    M4: site3,
    M5: laterality,
    M6: years(3),
    M7: invasiveAfter60,
    M8: when((a, b) => bothIn(a, b, renal) && a.histology !== b.histology, multiple),
    M9: specific(data, '8000', '8010', '8140', '8312'),
    M10: stem,
    M11: single,
  }
}

export function urinary2007(data: NaiveData): NaiveModule {
  const transitional = data.set(
    'transitional_cell_carcinoma',
    'papillary_transitional_cell_carcinoma',
  )
  const bladder = new Set([...transitional, '8050'])
  const urothelial = data.set('urothelial')
  return {
    M3: when((a, b) => bothAt(a, b, 'C659'), laterality),
    M4: when((a, b) => bothAt(a, b, 'C669'), laterality),
    M5: invasiveAfter60,
    M6: when((a, b) => bothAt(a, b, 'C67') && bothIn(a, b, bladder), single),
    M7: years(3),
    M8: when((a, b) => bothIn(a, b, urothelial) && bothAt(a, b, 'C659,C669,C67,C680'), single),
    M9: stem,
    M10: site3,
    M11: single,
  }
}

export function benignBrain2007(data: NaiveData): NaiveModule {
  const chart = data.rows('benign_brain_2007_chart1')
  const branch = ({ code, histology }: NaiveTumour) => chart[code] ?? chart[histology]
  const places = ['C700', 'C710', 'C711', 'C712', 'C713', 'C714', 'C722', 'C723', 'C724', 'C725']
  const found = (a: NaiveTumour, b: NaiveTumour) =>
    [branch(a), branch(b)].filter((one) => one !== undefined)
  return {
    M4: site4,
    M5: paired(places),
    M6: follows('9390/1', '9390/0'),
    M7: follows('9540/1', '9540/0'),
    M8: when((a, b) => found(a, b).length === 2 && branch(a) === branch(b), single),
    M9: when((a, b) => found(a, b).length === 2 && branch(a) !== branch(b), multiple),
    M10: when((a, b) => found(a, b).length === 1, multiple),
    M11: stem,
    M12: single,
  }
}

export function malignantBrain2007(data: NaiveData): NaiveModule {
  const glial = data.set('glial_tumor')
  const glioblastoma = codes('9440')
  const [chart1, chart2] = ['1', '2'].map((n) => data.lists(`malignant_brain_2007_chart${n}`))
  const shared = (chart: typeof chart1, a: NaiveTumour, b: NaiveTumour) => {
    const [one, other] = [chart?.[a.histology], chart?.[b.histology]]
    return one && other && one.some((branch) => other.includes(branch))
  }
  const isWide = (a: NaiveTumour, b: NaiveTumour) =>
    [a, b].some(({ histology }) => chart1?.[histology]?.includes('Neuroepithelial'))
  const inChart1 = (a: NaiveTumour, b: NaiveTumour) => {
    const isShared = shared(chart1, a, b)
    return isShared === undefined ? undefined : isShared || isWide(a, b)
  }
  return {
    M5: site3,
    M6: when(
      (a, b) => a.histology !== b.histology && cross(a, b, glial, glioblastoma),
      (a, b) => {
        if (orderOf(a, b) === 'UNKNOWN') return '~S'
        return laterOf(a, b)?.histology === '9440' ? 'S' : undefined
      },
    ),
    M7: when((a, b) => inChart1(a, b) === true || shared(chart2, a, b) === true, single),
    M8: when((a, b) => inChart1(a, b) === false || shared(chart2, a, b) === false, multiple),
    M9: stem,
    M10: single,
  }
}

/** Sides of other sites, but for those that differ between the two modules. */
export const OTHER_PAIRS = [
  ...['C384', 'C400', 'C401', 'C402', 'C403', 'C441', 'C442', 'C443', 'C445', 'C446', 'C447'],
  ...['C471', 'C472', 'C491', 'C492', 'C569', 'C570', 'C620-C629', 'C630', 'C631', 'C690-C699'],
  ...['C740-C749', 'C754'],
]

/** Rules that both modules of other sites have. */
export function otherSites(data: NaiveData) {
  const polyp = data.set('polyp')
  const adenocarcinoma = data.set('adenocarcinoma_specific', 'adenocarcinoma_nos')
  const polyposis = data.set('familial_adenomatous_polyposis')
  const areCoded = (a: NaiveTumour, b: NaiveTumour) =>
    [a, b].every(({ behavior }) => behavior === '2' || behavior === '3')
  return {
    ovarian: (a: NaiveTumour, b: NaiveTumour) =>
      bothAt(a, b, 'C569') && [a, b].every(({ histology }) => Number(histology) <= 8799),
    polyposis: (sites: string) =>
      when(
        (a, b) =>
          bothAt(a, b, sites) &&
          [a, b].some(({ behavior }) => behavior === '3') &&
          cross(a, b, polyposis, polyp),
        single,
      ),
    fourth: (sites: string) =>
      when((a, b) => isAt(a.site, sites) && a.site[3] !== b.site[3], multiple),
    polypWith: when(
      (a, b) => areCoded(a, b) && !bothIn(a, b, polyp) && cross(a, b, adenocarcinoma, polyp),
      single,
    ),
    polyps: when((a, b) => areCoded(a, b) && bothIn(a, b, polyp), single),
    thyroid: (...sets: readonly string[]) =>
      when(and(atBoth('C739'), ofBoth(data.set(...sets))), withinDays(60)),
  }
}

export function otherSites2007(data: NaiveData): NaiveModule {
  const shared = otherSites(data)
  const general = codes('8000', '8010')
  const isSerous = ofCross(codes('8460', '8461'), codes('8441'))
  return {
    M3: when(and(atBoth('C619'), ofBoth(data.set('adenocarcinoma_nos'))), single),
    M4: when(ofBoth(data.set('retino_blastoma')), single),
    M5: when(ofBoth(codes('9140')), single),
    M6: shared.thyroid('follicular_nos', 'papillary_nos'),
    M7: when(
      (a, b) =>
        shared.ovarian(a, b) &&
        (a.histology === b.histology || isIn(a, general) || isIn(b, general) || isSerous(a, b)),
      withinDays(60),
    ),
    M8: paired([...OTHER_PAIRS, 'C413', 'C414']),
    M9: shared.polyposis('C18,C199,C209'),
    M10: years(1),
    M11: site3,
    M12: shared.fourth('C21,C40,C41,C47,C49,C44'),
    M13: shared.polypWith,
    M14: shared.polyps,
    M15: invasiveAfter60,
    M16: specific(data, '8000', '8010', '8070', '8140', '8720', '8800'),
    M17: stem,
    M18: single,
  }
}
