import type { NaiveData } from './naive-data.ts'
import { type NaiveModule, OTHER_PAIRS, otherSites } from './naive-old.ts'
import {
  and,
  areDistinct,
  areOpposite,
  areSided,
  atBoth,
  behave,
  bothAt,
  bothIn,
  codes,
  contain,
  cross,
  crossAt,
  inSituAfter,
  inSituAfterSided,
  invasive,
  invasiveAfter60,
  invasiveWithin60,
  invasiveWithin60Sided,
  isAt,
  isIn,
  isSameHistology,
  laterality,
  laterOf,
  multiple,
  type NaiveRule,
  ofBoth,
  ofCross,
  paired,
  type RowOf,
  rowIn,
  rowsDiffer,
  sameKnownRow,
  sameRow,
  sidesIn,
  single,
  site3,
  site4,
  subtypesApart,
  subtypesDiffer,
  when,
  withinDays,
  years,
} from './naive-rules.ts'
import { daysApart, type NaiveTumour, orderOf } from './naive-tumour.ts'

// The rules from 2018 on, by step (multiple-primaries.md 5).

/** A row, or the word for being in the table without rows. */
const rowOr =
  (rowOf: RowOf, list: ReadonlySet<string>): RowOf =>
  (tumour) =>
    rowOf(tumour) ?? (isIn(tumour, list) ? 'table2' : undefined)

/** One disease when on one side and not far apart. */
const oneSide: NaiveRule = (a, b) => {
  const distance = daysApart(a, b, 60)
  if (distance === 'APART') return undefined
  if (!areSided(a, b) || distance === 'UNKNOWN') return '~S'
  return a.side === b.side ? 'S' : undefined
}

export function breast2018(data: NaiveData): NaiveModule {
  const row = rowIn(data.rows('breast_2018_table3_rows'))
  const lobular = [
    codes('8522/2', '8543/2', '8543/3', '8523/2'),
    codes('8522/3', '8541/3', '8523/3'),
  ]
  const duct = [codes('8500/2'), codes('8500/3')]
  return {
    M4: site3,
    M5: years(5),
    M6: when(invasive('8530'), single),
    M7: laterality,
    M10: when(
      (a, b) => duct.some((one, i) => cross(a, b, one, lobular[i]!)),
      (a, b) => {
        if (orderOf(a, b) === 'UNKNOWN') return '~S'
        const later = laterOf(a, b)
        return later === undefined || later.histology === '8500' ? 'S' : undefined
      },
    ),
    M11: subtypesApart(rowIn(data.rows('breast_2018_table3_subtypes'))),
    M12: sameKnownRow(row, withinDays(60)),
    M13: rowsDiffer(rowOr(row, data.set('breast_2018_table2'))),
    M14: inSituAfterSided,
    M15: invasiveWithin60Sided,
    M16: invasiveAfter60,
    M17: single,
  }
}

export function colon2018(data: NaiveData): NaiveModule {
  const row = rowIn(data.rows('colon_2018_table1_rows'))
  const subtypes = data.set('colon_2018_table1_subtypes')
  return {
    M3: when(ofBoth(codes('8220')), single),
    M4: site3,
    M5: when((a, b) => a.histology !== b.histology && bothIn(a, b, subtypes), multiple),
    M6: rowsDiffer(row),
    M9: (a, b) => (a.site === 'C189' || b.site === 'C189' ? '~M' : site4(a, b)),
    M10: years(1),
    M11: sameRow(row, withinDays(60)),
    M12: inSituAfter,
    M13: invasiveWithin60,
    M14: invasiveAfter60,
    M15: single,
  }
}

/** Any two of these that differ are two primaries. */
const APART = [
  ...[
    ['aortic_body', 'carotic_body'],
    ['hard_palate', 'soft_palate', 'uvula'],
  ],
  ...[
    ['maxilla', 'mandible'],
    ['nasal_cavity', 'middle_ear'],
  ],
  ['maxillary_sinus', 'ethmoid_sinus', 'frontal_sinus', 'sphenoid_sinus'],
  ['postcricoid', 'hypopharyngeal_aspect_of_aryepiglottic_fold', 'posterior_wall_of_hypopharynx'],
  ...[
    ['submandibular_gland', 'sublingual_gland'],
    ['upper_gum', 'lower_gum'],
  ],
  ['upper_lip', 'lower_lip'],
]

export function headAndNeck2018(data: NaiveData): NaiveModule {
  const apart = APART.map((names) => names.map((name) => data.list(name).join()))
  const larynx = data.set('glottis_and_laryngeal_sites')
  const isOfCells = ofCross(codes('8690'), codes('8690', '8693'))
  const table9 = data.set('head_and_neck_2018_table9_sites')
  const [rows, subtypes] = ['table', 'subtypes'].map((name) =>
    data.bySite(`head_and_neck_2018_${name}_for_site`),
  )
  const tableOf = ({ site }: NaiveTumour, from = rows) => from?.site_to_table[site]
  const rowOf = (tumour: NaiveTumour, from = rows) =>
    rowIn(from?.tables[tableOf(tumour, from) ?? ''] ?? {})(tumour)
  const areApart = (a: NaiveTumour, b: NaiveTumour) =>
    a.site !== b.site &&
    apart.some((places) =>
      places.some((one, i) => places.some((other, j) => i < j && crossAt(a, b, one, other))),
    )
  return {
    M3: when(
      (a, b) => areApart(a, b) || (a.site !== b.site && larynx.has(a.site) && larynx.has(b.site)),
      multiple,
    ),
    M4: site3,
    M5: paired(data.list('head_and_neck_2018_paired_sites')),
    M6: years(5),
    M7: (a, b) => {
      if (tableOf(a) === undefined || tableOf(b) === undefined) return '?'
      if (tableOf(a) !== tableOf(b)) return undefined
      if (rowOf(a) === undefined || rowOf(b) === undefined) {
        return a.histology !== b.histology ? '?' : undefined
      }
      const [one, other] = [tableOf(a, subtypes), tableOf(b, subtypes)]
      const areOf = one !== undefined && one === other
      return areOf && areDistinct(rowOf(a, subtypes), rowOf(b, subtypes)) ? 'M' : undefined
    },
    M8: (a, b) => {
      if (tableOf(a) !== tableOf(b)) return 'M'
      const isNamed = isOfCells(a, b)
      if (isNamed && table9.has(a.site) && table9.has(b.site)) return '?'
      return areDistinct(rowOf(a), rowOf(b)) ? 'M' : undefined
    },
    M9: inSituAfter,
    M10: invasiveWithin60,
    M11: invasiveAfter60,
    M12: (a, b) => {
      if (tableOf(a) === undefined || tableOf(b) === undefined) return '?'
      if (tableOf(a) !== tableOf(b)) return undefined
      const [one, other] = [rowOf(a), rowOf(b)]
      if (one === undefined || other === undefined) return isSameHistology(a, b) ? 'S' : '?'
      return contain(one, other) ? 'S' : undefined
    },
    M13: single,
  }
}

export function kidney2018(data: NaiveData): NaiveModule {
  const row = rowIn(data.rows('kidney_2018_table1_rows'))
  const renal = codes('8311')
  return {
    M3: site4,
    M4: when(invasive('8960'), single),
    M5: laterality,
    M6: years(3),
    M7: subtypesApart(rowIn(data.rows('kidney_2018_table1_subtypes'))),
    M8: sameRow(row, (a, b) => {
      const answer = oneSide(a, b)
      return answer === 'S' && bothIn(a, b, renal) ? '?' : answer
    }),
    M9: rowsDiffer(row),
    M10: inSituAfterSided,
    M11: invasiveWithin60Sided,
    M12: invasiveAfter60,
    M13: single,
  }
}

const NEUROENDOCRINE = ['8246', '8045', '8041', '8240', '8249']
const NO_OTHERS = [...NEUROENDOCRINE, ...['8800', '9043', '9042', '9137', '8842', '9041', '9040']]

export function lung2018(data: NaiveData): NaiveModule {
  const rows = data.rows('lung_2018_table3_rows')
  const table2 = data.set('lung_2018_table2')
  const named = [...table2, ...Object.keys(rows), ...Object.values(rows)]
  const others = new Set(['8046', ...named.map((code) => code.slice(0, 4))])
  for (const code of NO_OTHERS) others.delete(code)
  const row = rowOr(rowIn(rows), table2)
  return {
    M3: site3,
    M4: years(3),
    M5: when(ofCross(codes(...NEUROENDOCRINE), others), multiple),
    M6: subtypesDiffer(rowIn(data.rows('lung_2018_table3_subtypes'))),
    M7: sameRow(row, (a, b) =>
      isSameHistology(a, b) || row(a) !== 'table2' ? oneSide(a, b) : undefined,
    ),
    M8: rowsDiffer(row),
    M9: (a, b) => {
      const distance = daysApart(a, b, 60)
      if (distance === 'APART') return undefined
      const isBoth = a.side === '4' || b.side === '4'
      if ((!isBoth && !areSided(a, b)) || distance === 'UNKNOWN') return '~S'
      return isBoth || a.side === b.side ? 'S' : '?'
    },
    M10: inSituAfterSided,
    M11: laterality,
    M12: invasiveWithin60,
    M13: invasiveAfter60,
    M14: single,
  }
}

const BRAIN = 'C710-C719'
const NERVES = 'C722-C725'

/** One of them in a part that the other is not in. */
const otherParts = (parts: readonly string[]) =>
  when((a, b) => parts.some((part) => isAt(a.site, part) !== isAt(b.site, part)), multiple)

const generalRows =
  (rowOf: RowOf): NaiveRule =>
  (a, b) => {
    const answer = rowsDiffer(rowOf)(a, b)
    const isGeneral = [rowOf(a), rowOf(b)].some((row) => row?.startsWith('8000'))
    return !isSameHistology(a, b) && isGeneral ? '?' : answer
  }

export function malignantCns2018(data: NaiveData): NaiveModule {
  const row = rowIn(data.rows('malignant_cns_2018_table3_rows'))
  const glial = data.set('glial_tumor_2018')
  const glioblastoma = codes('9440')
  const others = otherParts([BRAIN, 'C721', 'C700', NERVES, 'C709', 'C720', 'C701'])
  const diffuse = codes(
    ...['9430', '9400', '9401', '9411', '9385', '9391', '9392', '9396', '9393', '9450', '9451'],
    '9424',
  )
  return {
    M7: when(
      (a, b) => a.histology !== b.histology && cross(a, b, glial, glioblastoma),
      (a, b) => {
        if (orderOf(a, b) === 'UNKNOWN') return '~M'
        return laterOf(a, b)?.histology === '9440' ? 'M' : undefined
      },
    ),
    M8: when((a, b) => a.histology === b.histology && bothAt(a, b, BRAIN), single),
    M9: (a, b) => {
      const areNerves = bothAt(a, b, NERVES) && a.site !== b.site
      return areNerves ? 'M' : others(a, b)
    },
    M10: subtypesApart(rowIn(data.rows('malignant_cns_2018_table3_subtypes'))),
    M11: when(ofCross(codes('9380'), diffuse), single),
    M12: sameRow(row, single),
    M13: generalRows(row),
    M14: single,
  }
}

const SIDED_CNS = 'C724,C700,C710,C725,C711,C714,C722,C723,C713,C712'

export function nonMalignantCns2018(data: NaiveData): NaiveModule {
  const [row2018, row2023] = ['2018', '2023'].map((year) =>
    rowIn(data.rows(`non_malignant_cns_${year}_table6_rows`)),
  )
  const row: RowOf = (tumour) => ((tumour.year ?? 0) >= 2023 ? row2023 : row2018)?.(tumour)
  const subtypes = data.set('non_malignant_cns_2018_table6_subtypes')
  const meningiomas = data.set('cns_2018_meningiomas')
  const bilateral = codes('9560/0', '9421/1')
  const special = (a: NaiveTumour, b: NaiveTumour) =>
    a.histology === '9413' || (a.histology === '9509' && a.behavior !== b.behavior)
  const gliomas = codes(
    ...['9383/1', '9394/1', '9444/1', '9384/1', '9412/1', '9413/0', '9505/1', '9506/1', '9492/0'],
    ...['9493/0', '9509/1', '8693/1'],
  )
  return {
    M7: when(
      (a, b) =>
        a.site === b.site &&
        isAt(a.site, SIDED_CNS) &&
        areOpposite(a, b) &&
        a.code === b.code &&
        bilateral.has(a.code),
      single,
    ),
    M8: otherParts([BRAIN, 'C721', 'C700', NERVES, 'C720', 'C701']),
    M9: when((a, b) => a.histology !== b.histology && bothIn(a, b, subtypes), multiple),
    M10: when((a, b) => bothAt(a, b, 'C700') && bothIn(a, b, meningiomas), single),
    M11: when(
      (a, b) => a.histology === b.histology && bothAt(a, b, BRAIN),
      (a, b) => (special(a, b) ? '?' : 'S'),
    ),
    M12: sameRow(row, (a, b) => (special(a, b) ? '?' : 'S')),
    M13: when(ofCross(codes('9380/1'), gliomas), single),
    M14: generalRows(row),
    M15: single,
  }
}

export function urinary2018(data: NaiveData): NaiveModule {
  const row = rowIn(data.rows('urinary_2018_table2_rows'))
  const urothelial = data.set('urinary_2018_urothelial_carcinomas')
  const usual = data.set('urinary_2018_urothelial_carcinomas_exclude_micropapillary')
  const sites = data.set('urinary_2018_urinary_sites')
  const areBladder = (a: NaiveTumour, b: NaiveTumour) => bothAt(a, b, 'C67')
  return {
    M3: when((a, b) => bothAt(a, b, 'C659'), laterality),
    M4: when((a, b) => bothAt(a, b, 'C669'), laterality),
    M5: when(
      and(ofBoth(codes('8120/2')), (a, b) => crossAt(a, b, 'C67', 'C669')),
      withinDays(60),
    ),
    M6: invasiveAfter60,
    M7: when((a, b) => behave(a, b, '2') && areBladder(a, b) && bothIn(a, b, usual), single),
    M8: when(ofCross(codes('8131'), usual), multiple),
    M9: when((a, b) => behave(a, b, '3') && areBladder(a, b) && bothIn(a, b, urothelial), single),
    M10: when((a, b) => !(areBladder(a, b) && bothIn(a, b, usual)), years(3)),
    M11: when(
      (a, b) =>
        sites.has(a.site) && sites.has(b.site) && a.part !== b.part && bothIn(a, b, urothelial),
      single,
    ),
    M12: subtypesDiffer(rowIn(data.rows('urinary_2018_table2_subtypes'))),
    M13: rowsDiffer(row),
    M14: site3,
    M15: sameRow(row, withinDays(60)),
    M16: inSituAfter,
    M17: invasiveWithin60,
    M18: single,
  }
}

const SKIN_WITHOUT_SIDE = 'C440,C448,C449'

export function melanoma2021(data: NaiveData): NaiveModule {
  const table2 = data.set('cutaneous_melanoma_2021_table2_rows')
  const isUnsided = ({ site }: NaiveTumour) => isAt(site, SKIN_WITHOUT_SIDE)
  const isUnknown = ({ side }: NaiveTumour) => side === '9' || side.trim() === ''
  return {
    M3: (a, b) => (a.site === 'C449' || b.site === 'C449' ? '~M' : site4(a, b)),
    M4: when(
      (a, b) => !isUnsided(a) && !isUnknown(a) && !isUnknown(b),
      (a, b) => {
        if (!sidesIn(a, b, '125')) return '~M'
        return a.side !== b.side ? 'M' : undefined
      },
    ),
    M5: subtypesDiffer(rowIn(data.rows('cutaneous_melanoma_2021_table2_subtypes'))),
    M6: (a, b) => {
      if (!bothIn(a, b, table2)) return '?'
      if (!isUnsided(a) && !sidesIn(a, b, '125')) return '?'
      if (!isUnsided(a) && a.side !== b.side) return undefined
      return ({ UNKNOWN: '?', WITHIN: 'S', APART: undefined } as const)[daysApart(a, b, 60)]
    },
    M7: (a, b) => (({ UNKNOWN: '?', APART: 'M', WITHIN: undefined }) as const)[daysApart(a, b, 60)],
    M8: single,
  }
}

export function otherSites2023(data: NaiveData): NaiveModule {
  const shared = otherSites(data)
  const [rows, subtypes] = ['rows', 'subtypes'].map((name) => {
    const { tables, site_to_table } = data.bySite(`other_sites_2023_table_${name}_for_site`)
    return (tumour: NaiveTumour) => rowIn(tables[site_to_table[tumour.site] ?? ''] ?? {})(tumour)
  }) as [RowOf, RowOf]
  const { site_to_table } = data.bySite('other_sites_2023_table_rows_for_site')
  const hasTable = ({ site }: NaiveTumour) => site_to_table[site] !== undefined
  const table2 = data.set('other_sites_2023_table_2')
  const prostate = data.set('adenocarcinoma_prostate_subtypes')
  const retinoblastoma = data.set('retino_blastoma')
  const [anaplastic, thyroid] = ['anaplastic_carcinoma', 'other_thyroid_histologies'].map((name) =>
    data.set(name),
  )
  const acinar = codes(
    ...['8140/2', '8140/3', '8201/3', '8260/3', '8230/3', '8500/3', '8572/3', '8574/3'],
    ...['8480/3', '8490/3'],
  )
  return {
    M3: when((a, b) => bothAt(a, b, 'C619') && bothIn(a, b, prostate), single),
    M4: when(and(atBoth('C619'), ofCross(codes('8041/3'), acinar)), (a, b) => {
      if (orderOf(a, b) === 'UNKNOWN') return '~M'
      return laterOf(a, b)?.code === '8041/3' ? 'M' : undefined
    }),
    M5: when((a, b) => bothIn(a, b, retinoblastoma), single),
    M6: when(ofBoth(codes('9140')), single),
    M7: shared.thyroid('follicular', 'papillary'),
    M8: when((a, b) => bothAt(a, b, 'C739') && cross(a, b, anaplastic!, thyroid!), multiple),
    M9: when((a, b) => {
      const row = rows(a)
      const isOne = row !== undefined && row === rows(b) && !areDistinct(subtypes(a), subtypes(b))
      return shared.ovarian(a, b) && (a.histology === b.histology || isOne)
    }, withinDays(60)),
    M10: paired(OTHER_PAIRS.concat('C444')),
    M11: shared.polyposis('C17'),
    M12: years(1),
    M13: site3,
    M14: shared.fourth('C21,C40,C41,C49,C44'),
    M15: shared.polypWith,
    M16: shared.polyps,
    M17: subtypesApart(subtypes),
    M18: when((a, b) => hasTable(a) && hasTable(b), sameKnownRow(rows, withinDays(60))),
    M19: rowsDiffer((tumour) => {
      const { histology } = tumour
      return rows(tumour) ?? (table2.has(histology) ? `${histology} in table 2` : undefined)
    }),
    M20: invasiveAfter60,
    M21: single,
  }
}
