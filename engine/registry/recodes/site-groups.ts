import { AYA_2008 } from './data/aya-2008.ts'
import { AYA_2020 } from './data/aya-2020.ts'
import { BRAIN_CNS_2020 } from './data/brain-cns-2020.ts'
import { ICCC_3 } from './data/iccc-3.ts'
import { ICCC_2008 } from './data/iccc-2008.ts'
import { ICCC_2017 } from './data/iccc-2017.ts'
import { LYMPHOID_2021 } from './data/lymphoid-2021.ts'
import { SEER_2003 } from './data/seer-2003.ts'
import { SEER_2003_WITHOUT_KMS } from './data/seer-2003-without-kms.ts'
import { SEER_2008 } from './data/seer-2008.ts'
import { SEER_2023 } from './data/seer-2023.ts'
import { SEER_2023_EXPANDED } from './data/seer-2023-expanded.ts'
import {
  aya,
  edition,
  iccc,
  icccWithoutBehavior,
  SITE_AND_HIST,
  seer,
  seer2023,
  WITH_BEHAVIOR,
} from './editions.ts'
import {
  BEHAVIOR,
  HIST,
  type Recode,
  type RecodeVersion,
  SITE,
  type SiteGroup,
  type Texts,
  YEAR,
} from './recode.ts'

const CASE = Object.freeze({ site: SITE, hist: HIST, behavior: BEHAVIOR })

const SITE_GROUP = Object.freeze({
  site_group: 'The group; all 9 for a case that has none',
  name: 'What the group is called',
})

/** The site groups of the published API (registry-lookups.md 1.1), in all their editions. */
export const SITE_GROUPS: readonly SiteGroup[] = Object.freeze([
  {
    id: 'seer',
    name: 'SEER Site Recode',
    inputs: { ...CASE, year: YEAR },
    required: SITE_AND_HIST,
    needed: SITE_AND_HIST,
    outputs: SITE_GROUP,
    versions: [
      seer('2008', 'WHO 2008 Definition', SEER_2008),
      seer('2003', 'ICD-O-3 of 2003', SEER_2003),
      seer(
        '2003-without-kms',
        'ICD-O-3 of 2003 without Kaposi and mesothelioma',
        SEER_2003_WITHOUT_KMS,
      ),
      seer2023('2023', '2023 Revision', SEER_2023),
      seer2023('2023-expanded', '2023 Revision Expanded', SEER_2023_EXPANDED),
    ],
  },
  {
    id: 'iccc',
    name: 'SEER International Classification of Childhood Cancer',
    inputs: CASE,
    required: SITE_AND_HIST,
    needed: WITH_BEHAVIOR,
    outputs: {
      ...SITE_GROUP,
      extended_group: 'The group of the extended classification; not in the third edition of 2005',
      major_category: 'The category that the group is part of',
    },
    versions: [
      iccc('2017', 'Third edition based on ICD-O-3/IARC 2017', ICCC_2017),
      iccc('2008', 'Third edition based on ICD-O-3/WHO 2008', ICCC_2008),
      icccWithoutBehavior('3', 'Third edition', ICCC_3),
    ],
  },
  {
    id: 'aya',
    name: 'SEER Adolescents and Young Adults (AYA) Site Recode',
    inputs: CASE,
    required: SITE_AND_HIST,
    needed: WITH_BEHAVIOR,
    outputs: SITE_GROUP,
    versions: [
      aya('2008', 'WHO 2008', AYA_2008, '99'),
      aya('2020', '2020 Revision', AYA_2020, '999'),
    ],
  },
] satisfies SiteGroup[])

const GROUP = Object.freeze({
  recode: 'The group; 99 for a case that has none',
  name: 'What the group is called',
})

/** Creates a version that rejects sites with a dot. Compared as texts, C50.9 would be between C000 and C809. */
function withoutDots({ make, ...version }: RecodeVersion): RecodeVersion {
  const undotted = (input: Texts) =>
    input.site?.includes('.') ? { ...input, site: undefined } : input
  return {
    ...version,
    make: () => {
      const answer = make()
      return (input) => answer(undotted(input))
    },
  }
}

/** Groups of one kind of tumor (registry-lookups.md 4). */
export const TUMOUR_GROUPS: readonly Recode[] = Object.freeze([
  {
    id: 'brain-cns',
    name: 'Brain and CNS Recode',
    inputs: CASE,
    required: SITE_AND_HIST,
    outputs: GROUP,
    versions: [
      edition('2020', '2020 Revision', {
        table: { rows: BRAIN_CNS_2020, columns: WITH_BEHAVIOR, compare: 'texts' },
        unknown: '99',
        output: 'recode',
      }),
    ],
  },
  {
    id: 'lymphoid',
    name: 'Lymphoid Neoplasm Recode',
    inputs: { site: SITE, hist: HIST },
    required: SITE_AND_HIST,
    outputs: GROUP,
    versions: [
      withoutDots(
        edition('2021', '2021 Revision', {
          table: { rows: LYMPHOID_2021, columns: SITE_AND_HIST, compare: 'texts' },
          unknown: '99',
          output: 'recode',
        }),
      ),
    ],
  },
] satisfies Recode[])
