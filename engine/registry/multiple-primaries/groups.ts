import type { HematopoieticTables } from './hematopoietic-tables.ts'
import { benignBrain2007, malignantBrain2007 } from './modules/brain-2007.ts'
import { breast2007 } from './modules/breast-2007.ts'
import { breast2018 } from './modules/breast-2018.ts'
import { malignantCns2018, nonMalignantCns2018 } from './modules/cns-2018.ts'
import { colon2007 } from './modules/colon-2007.ts'
import { colon2018 } from './modules/colon-2018.ts'
import { headAndNeck2007 } from './modules/head-and-neck-2007.ts'
import { headAndNeck2018 } from './modules/head-and-neck-2018.ts'
import { hematopoietic2010 } from './modules/hematopoietic-2010.ts'
import { hematopoietic2001, hematopoieticUntil2000 } from './modules/hematopoietic-until-2009.ts'
import { kidney2007 } from './modules/kidney-2007.ts'
import { kidney2018 } from './modules/kidney-2018.ts'
import { lung2007 } from './modules/lung-2007.ts'
import { lung2018 } from './modules/lung-2018.ts'
import { melanoma2007 } from './modules/melanoma-2007.ts'
import { melanoma2021 } from './modules/melanoma-2021.ts'
import { otherSites2007 } from './modules/other-sites-2007.ts'
import { otherSites2023 } from './modules/other-sites-2023.ts'
import { benignBrainUntil2006, solidMalignantUntil2006 } from './modules/solid-until-2006.ts'
import { urinary2007 } from './modules/urinary-2007.ts'
import { urinary2018 } from './modules/urinary-2018.ts'
import type { Rule } from './rule.ts'

/** The tumors that a module covers. Codes are ranges separated by commas. */
export interface Group {
  readonly id: string
  readonly name: string
  /** All sites if left out. */
  readonly sites?: string
  readonly histologies?: string
  readonly notHistologies?: string
  readonly behaviors: string
  readonly years: string
  /** Covers tumors that are in no other group, except for hematopoietic groups and groups of earlier years. */
  readonly isForTheRest?: true
  /** Additional tumors from a year on. */
  readonly also?: {
    readonly sites: string
    readonly histologies: string
    readonly behaviors: string
    readonly years: string
  }
  readonly rules: (hematopoietic: HematopoieticTables) => readonly Rule[]
}

const SOLID = '2-3,6'
const BLOOD_AND_LYMPH = '9590-9993'
const BRAIN_2007 = 'C700-C701, C709-C725, C728-C729, C751-C753'
const URINARY = 'C659, C669, C670-C679, C680-C689'
/** Kaposi sarcoma is in the group of other sites, wherever it occurs. */
const NOT_KAPOSI = '9590-9993, 9140'

/** The groups in the order in which they are tried (multiple-primaries.md 3). */
export const GROUPS: readonly Group[] = [
  {
    id: 'hemato_2000_and_earlier',
    name: 'Hematopoietic and Lymphoid 2000 and earlier',
    sites: 'C000-C809',
    histologies: BLOOD_AND_LYMPH,
    behaviors: SOLID,
    years: '0000-2000',
    rules: hematopoieticUntil2000,
  },
  {
    id: 'hemato_2001_to_2009',
    name: 'Hematopoietic and Lymphoid 2001-2009',
    sites: 'C000-C809',
    histologies: BLOOD_AND_LYMPH,
    behaviors: SOLID,
    years: '2001-2009',
    rules: hematopoietic2001,
  },
  {
    id: 'hemato_2010_and_later',
    name: 'Hematopoietic and Lymphoid 2010+',
    sites: 'C000-C809',
    histologies: BLOOD_AND_LYMPH,
    behaviors: SOLID,
    years: '2010-9999',
    rules: hematopoietic2010,
  },
  {
    id: '2006_and_earlier_benign_brain',
    name: '2006 and earlier Benign Brain',
    sites: 'C700-C729,C751-C753',
    notHistologies: '9590-9993,9140',
    behaviors: '0-1',
    years: '0000-2006',
    rules: benignBrainUntil2006,
  },
  {
    id: '2006_and_earlier_solid_malignant',
    name: '2006 and earlier Solid Malignant',
    histologies: '8000-9589',
    behaviors: SOLID,
    years: '0000-2006',
    rules: solidMalignantUntil2006,
  },
  {
    id: 'mph_2007_to_2017_head_and_neck',
    name: 'MPH 2007-2017 Head and Neck',
    sites: 'C000-C148, C300-C329',
    notHistologies: NOT_KAPOSI,
    behaviors: SOLID,
    years: '2007-2017',
    rules: headAndNeck2007,
  },
  {
    id: 'mph_2007_to_2017_colon',
    name: 'MPH 2007-2017 Colon',
    sites: 'C180-C189',
    notHistologies: NOT_KAPOSI,
    behaviors: SOLID,
    years: '2007-2017',
    rules: colon2007,
  },
  {
    id: 'mph_2007_to_2017_lung',
    name: 'MPH 2007-2017 Lung',
    sites: 'C340-C349',
    notHistologies: NOT_KAPOSI,
    behaviors: SOLID,
    years: '2007-2017',
    rules: lung2007,
  },
  {
    id: 'mph_2007_to_2017_melanoma',
    name: 'MPH 2007-2020 Melanoma',
    sites: 'C440-C449',
    histologies: '8720-8780',
    behaviors: SOLID,
    years: '2007-2020',
    rules: melanoma2007,
  },
  {
    id: 'mph_2007_to_2017_breast',
    name: 'MPH 2007-2017 Breast',
    sites: 'C500-C509',
    notHistologies: '9590-9993,9140',
    behaviors: SOLID,
    years: '2007-2017',
    rules: breast2007,
  },
  {
    id: 'mph_2007_to_2017_kidney',
    name: 'MPH 2007-2017 Kidney',
    sites: 'C649',
    notHistologies: NOT_KAPOSI,
    behaviors: SOLID,
    years: '2007-2017',
    rules: kidney2007,
  },
  {
    id: 'mph_2007_to_2017_urinary',
    name: 'MPH 2007-2017 Urinary',
    sites: URINARY,
    notHistologies: NOT_KAPOSI,
    behaviors: SOLID,
    years: '2007-2017',
    rules: urinary2007,
  },
  {
    id: 'mph_2007_to_2017_benign_brain',
    name: 'MPH 2007-2017 Benign Brain',
    sites: BRAIN_2007,
    notHistologies: '9590-9993,9140',
    behaviors: '0-1',
    years: '2007-2017',
    rules: benignBrain2007,
  },
  {
    id: 'mph_2007_to_2017_malignant_brain',
    name: 'MPH 2007-2017 Malignant Brain',
    sites: 'C700-C701,C709-C725,C728-C729,C751-C753',
    notHistologies: '9590-9993,9140',
    behaviors: '3',
    years: '2007-2017',
    rules: malignantBrain2007,
  },
  {
    id: 'mph_2007_to_2022_other_sites',
    name: 'MPH 2007-2022 Other Sites',
    notHistologies: BLOOD_AND_LYMPH,
    behaviors: SOLID,
    years: '2007-2022',
    isForTheRest: true,
    rules: otherSites2007,
  },
  {
    id: 'str_2018_and_later_breast',
    name: 'Solid Tumor 2018+ Breast',
    sites: 'C500-C506, C508-C509',
    notHistologies: NOT_KAPOSI,
    behaviors: '2-4,6',
    years: '2018-9999',
    rules: breast2018,
  },
  {
    id: 'str_2018_and_later_colon',
    name: 'Solid Tumor 2018+ Colon',
    sites: 'C180-C189, C199, C209',
    notHistologies: NOT_KAPOSI,
    behaviors: SOLID,
    years: '2018-9999',
    rules: colon2018,
  },
  {
    id: 'str_2018_and_later_head_and_neck',
    name: 'Solid Tumor 2018+ Head And Neck',
    sites: 'C000-C148, C300-C339, C410, C411, C479',
    notHistologies: NOT_KAPOSI,
    behaviors: SOLID,
    years: '2018-9999',
    also: {
      sites: 'C754,C755',
      histologies: '8680,8690-8693',
      behaviors: '3',
      years: '2019-9999',
    },
    rules: headAndNeck2018,
  },
  {
    id: 'str_2018_and_later_kidney',
    name: 'Solid Tumor 2018+ Kidney',
    sites: 'C649',
    notHistologies: NOT_KAPOSI,
    behaviors: SOLID,
    years: '2018-9999',
    rules: kidney2018,
  },
  {
    id: 'str_2018_and_later_lung',
    name: 'Solid Tumor 2018+ Lung',
    sites: 'C340-C343, C348, C349',
    notHistologies: NOT_KAPOSI,
    behaviors: SOLID,
    years: '2018-9999',
    rules: lung2018,
  },
  {
    id: 'str_2018_and_later_malignant_cns',
    name: 'Solid Tumor 2018+ Malignant CNS',
    sites: 'C470-C479, C700, C701, C709, C710-C719, C720-C725, C728, C729, C751-C753',
    notHistologies: NOT_KAPOSI,
    behaviors: '3',
    years: '2018-9999',
    rules: malignantCns2018,
  },
  {
    id: 'str_2018_and_later_non_malignant_cns',
    name: 'Solid Tumor 2018+ Non Malignant CNS',
    sites: 'C700, C701, C709, C710-C719, C720-C725, C728, C729, C751-C753',
    notHistologies: NOT_KAPOSI,
    behaviors: '0-1',
    years: '2018-9999',
    rules: nonMalignantCns2018,
  },
  {
    id: 'str_2018_and_later_urinary',
    name: 'Solid Tumor 2018+ Urinary',
    sites: URINARY,
    notHistologies: NOT_KAPOSI,
    behaviors: SOLID,
    years: '2018-9999',
    rules: urinary2018,
  },
  {
    id: 'str_2021_and_later_cutaneous_melanoma',
    name: 'Solid Tumor 2021+ Cutaneous Melanoma',
    sites: 'C440-C449',
    histologies: '8720-8780',
    behaviors: SOLID,
    years: '2021-9999',
    rules: melanoma2021,
  },
  {
    id: 'str_2023_and_later_other_sites',
    name: 'Solid Tumor 2023+ Other Sites',
    notHistologies: BLOOD_AND_LYMPH,
    behaviors: SOLID,
    years: '2023-9999',
    isForTheRest: true,
    rules: otherSites2023,
  },
]
