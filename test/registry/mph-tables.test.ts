import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { expandCodes } from '../../engine/registry/multiple-primaries/codes.ts'
import {
  BENIGN_BRAIN_2004,
  BENIGN_BRAIN_2007,
  MALIGNANT_BRAIN_2007_NEUROEPITHELIAL,
  MALIGNANT_BRAIN_2007_OTHER,
} from '../../engine/registry/multiple-primaries/data/brain-charts.ts'
import { HEAD_AND_NECK_TABLES } from '../../engine/registry/multiple-primaries/data/head-and-neck-tables.ts'
import { HISTOLOGIES } from '../../engine/registry/multiple-primaries/data/histologies.ts'
import { MORE_SPECIFIC } from '../../engine/registry/multiple-primaries/data/more-specific.ts'
import { OTHER_SITES_TABLES } from '../../engine/registry/multiple-primaries/data/other-sites-tables.ts'
import { PAIRED_SITES } from '../../engine/registry/multiple-primaries/data/paired-sites.ts'
import { SITES } from '../../engine/registry/multiple-primaries/data/sites.ts'
import { TABLES } from '../../engine/registry/multiple-primaries/data/tables.ts'
import {
  BOTH_SIDES,
  IN_SITU,
  INVASIVE,
  LEFT,
  MIDLINE,
  RIGHT,
  UNKNOWN_SIDE,
} from '../../engine/registry/multiple-primaries/diagnosis.ts'
import type { HematopoieticData } from '../../engine/registry/multiple-primaries/hematopoietic-data.ts'
import { parseHematopoietic } from '../../engine/registry/multiple-primaries/parse-hematopoietic.ts'
import { Rules } from '../../engine/registry/multiple-primaries/rules.ts'
import { shippedHematopoietic } from '../../engine/registry/multiple-primaries/shipped-hematopoietic.ts'
import { parseTable } from '../../engine/registry/multiple-primaries/table-text.ts'
import { available } from '../available.ts'
import { SHARED } from '../commons/import/support/shared-data.ts'

// The data that the project stores in its own form agree with the published tables.

interface Reference {
  readonly groups: readonly Readonly<Record<string, unknown>>[]
  readonly scalars: Readonly<Record<string, string>>
  readonly code_sets: Readonly<Record<string, readonly string[]>>
  readonly row_tables: Readonly<Record<string, Readonly<Record<string, string | string[]>>>>
  readonly by_site: Readonly<Record<string, TablesBySite>>
}

interface TablesBySite {
  readonly tables: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly site_to_table: Readonly<Record<string, string>>
}

const REFERENCE = join(SHARED, '../contract/mph-tables.json')

/** The distinct codes of lists, sorted. */
const codes = (...lists: readonly string[]) => [...new Set(expandCodes(lists.join(' ')))].sort()
const listed = (list: readonly string[] | string) => codes(String(list).replaceAll(',', ' '))

const h = HEAD_AND_NECK_TABLES
const o = OTHER_SITES_TABLES
const rowsOf = (text: string) => Object.fromEntries(parseTable(text).rows)
const subtypesOf = (text: string) => Object.fromEntries(parseTable(text).subtypes)
const keysOf = (names: Readonly<Record<string, string>>) => Object.keys(names).join(' ')

/** Names that differ by more than upper and lower case; the project stores these codes elsewhere. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  retino_blastoma: HISTOLOGIES.retinoblastoma,
  famillial_polyposis: HISTOLOGIES.familialPolyposis,
  papillary_carcinoma: HISTOLOGIES.papillaryCarcinomaNos,
  specific_renal_cell_histologies: HISTOLOGIES.renalCellSpecific,
  urinary_2018_urothelial_carcinomas: HISTOLOGIES.urothelial2018,
  urinary_2018_urothelial_carcinomas_exclude_micropapillary:
    HISTOLOGIES.urothelial2018NotMicropapillary,
  glial_tumor: HISTOLOGIES.glialTumors,
  glial_tumor_2018: HISTOLOGIES.glialTumors2018,
  glioblastoma_nos_and_multiforme: HISTOLOGIES.glioblastoma,
  cns_2018_meningiomas: HISTOLOGIES.meningiomas2018,
  adenocarcinoma_prostate_subtypes: HISTOLOGIES.prostateSubtypes,
  other_sites_2023_table_2: HISTOLOGIES.otherSites2023Table2,
  lymphoma_nos_and_non_hodgkin_lymphoma: HISTOLOGIES.lymphomaNosAndNonHodgkin,

  urinary_2018_urinary_sites: SITES.urothelialSites,
  carotic_body: SITES.carotidBody,
  hypopharyngeal_aspect_of_aryepiglottic_fold: SITES.aryepiglotticFold,
  posterior_wall_of_hypopharynx: SITES.posteriorHypopharynx,
  glottis_and_laryngeal_sites: SITES.larynx,
  cns_2018_brain_sites: SITES.brain,
  cns_2018_cerebral_meninges_sites: SITES.cerebralMeninges,
  cns_2018_spinal_meninges_sites: SITES.spinalMeninges,
  cns_2018_spinal_cord_sites: SITES.spinalCord,
  cns_2018_cauda_equina: SITES.caudaEquina,
  cns_2018_cranial_nerves_sites_non_cauda_equina: SITES.cranialNerves,
  malignant_cns_2018_meninges_of_cranial_or_periph_nerves_sites: SITES.meningesOfNervesMalignant,
  non_malignant_cns_2018_meninges_of_cranial_or_periph_nerves_sites:
    SITES.meningesOfNervesNonMalignant,
  head_and_neck_2018_paired_sites: PAIRED_SITES.headAndNeck2018.replaceAll(';', ''),

  head_and_neck_2018_table1_sites: h.noseAndSinuses.sites,
  head_and_neck_2018_table2_sites: h.nasopharynx.sites,
  head_and_neck_2018_table3_sites: h.hypopharynxAndLarynx.sites,
  head_and_neck_2018_table4_sites: h.mouth.sites,
  head_and_neck_2018_table5_sites: h.oropharynx.sites,
  head_and_neck_2018_table6_sites: h.salivaryGlands.sites,
  head_and_neck_2018_table7_sites: h.bonesOfFace.sites,
  head_and_neck_2018_table8_sites: h.middleEar.sites,
  head_and_neck_2018_table9_sites: h.paraganglia.sites,
  head_and_neck_2018_tablec111_sites: h.posteriorNasopharynx.sites,
  esophagus_sites: o.esophagus.sites,
  stomach_sites: o.stomach.sites,
  intestine_sites: o.intestine.sites,
  anus_sites: o.anus.sites,
  liver_sites: o.liver.sites,
  bladder_sites: o.biliaryTract.sites,
  pancreas_sites: o.pancreas.sites,
  thymus: o.thymus.sites,
  bone_sites: o.bone.sites,
  peritoneum: o.peritoneum.sites,
  soft_tissues_sites: o.softTissue.sites,
  vulva_sites: o.vulva.sites,
  vagina: o.vagina.sites,
  uterine_cervix_sites: o.uterineCervix.sites,
  uterine_corpus_sites: o.uterineCorpus.sites,
  fallopian: o.fallopianTube.sites,
  penis_and_scrotum_sites: o.penisAndScrotum.sites,
  testis_sites: o.testis.sites,

  colon_2018_table1_subtypes: keysOf(subtypesOf(TABLES.colon2018)),
  non_malignant_cns_2018_table6_subtypes: keysOf(subtypesOf(TABLES.nonMalignantCns2018)),
  cutaneous_melanoma_2021_table2_rows: keysOf(rowsOf(TABLES.melanoma2021)),

  insitu: String(IN_SITU),
  malignant: String(INVASIVE),
  right: String(RIGHT),
  left: String(LEFT),
  both: String(BOTH_SIDES),
  mid_line: String(MIDLINE),
  paired_no_information: String(UNKNOWN_SIDE),
}

/** Codes that no rule of the project names, because they stand for any other laterality. */
const UNNAMED = ['not_paired', 'only_one_side_ns']
/** Names of a chart's branches instead of codes. */
const BRANCHES = ['ependymomas', 'neurofibromas', 'neuronal']

const camelCase = (name: string) =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

function ownList(name: string): string | undefined {
  const own: Readonly<Record<string, string>> = { ...HISTOLOGIES, ...SITES }
  return ELSEWHERE[name] ?? own[camelCase(name)]
}

/** Inverts branches by code into codes by branch. */
function inverted(charts: Readonly<Record<string, string>>): Record<string, string[]> {
  const branches: Record<string, string[]> = {}
  for (const [branch, list] of Object.entries(charts)) {
    for (const code of expandCodes(list)) branches[code] = [...(branches[code] ?? []), branch]
  }
  return branches
}

const single = (chart: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(inverted(chart)).map(([code, [branch]]) => [code, branch]))

const ROW_TABLES: Readonly<Record<string, unknown>> = {
  benign_brain_2004_histology_grouping: single(BENIGN_BRAIN_2004),
  benign_brain_2007_chart1: single(BENIGN_BRAIN_2007),
  malignant_brain_2007_chart1: inverted(MALIGNANT_BRAIN_2007_NEUROEPITHELIAL),
  malignant_brain_2007_chart2: inverted(MALIGNANT_BRAIN_2007_OTHER),
  breast_2018_table3_rows: rowsOf(TABLES.breast2018),
  breast_2018_table3_subtypes: subtypesOf(TABLES.breast2018),
  colon_2018_table1_rows: rowsOf(TABLES.colon2018),
  cutaneous_melanoma_2021_table2_subtypes: subtypesOf(TABLES.melanoma2021),
  kidney_2018_table1_rows: rowsOf(TABLES.kidney2018),
  kidney_2018_table1_subtypes: subtypesOf(TABLES.kidney2018),
  lung_2018_table3_rows: rowsOf(TABLES.lung2018),
  lung_2018_table3_subtypes: subtypesOf(TABLES.lung2018),
  malignant_cns_2018_table3_rows: rowsOf(TABLES.malignantCns2018),
  malignant_cns_2018_table3_subtypes: subtypesOf(TABLES.malignantCns2018),
  non_malignant_cns_2018_table6_rows: rowsOf(TABLES.nonMalignantCns2018),
  non_malignant_cns_2023_table6_rows: rowsOf(TABLES.nonMalignantCns2018),
  urinary_2018_table2_rows: rowsOf(TABLES.urinary2018),
  urinary_2018_table2_subtypes: subtypesOf(TABLES.urinary2018),
  nos_vs_specific: Object.fromEntries(
    Object.entries(MORE_SPECIFIC).map(([code, list]) => [code, list.split(' ')]),
  ),
}

/** Branches as named in the charts. */
const plain = (name: string) =>
  name.trim().replace('branch_', 'branch').replace('Periphera Nerve', 'Peripheral nerve')

function bySite(
  tables: Readonly<Record<string, { readonly sites: string; readonly table: string }>>,
  of: (text: string) => Readonly<Record<string, string>>,
) {
  return Object.fromEntries(
    Object.values(tables)
      .filter(({ table }) => Object.keys(of(table)).length > 0)
      .flatMap(({ sites, table }) => expandCodes(sites).map((site) => [site, of(table)])),
  )
}

const BY_SITE: Readonly<Record<string, unknown>> = {
  head_and_neck_2018_table_for_site: bySite(h, rowsOf),
  head_and_neck_2018_subtypes_for_site: bySite(h, subtypesOf),
  other_sites_2023_table_rows_for_site: bySite(o, rowsOf),
  other_sites_2023_table_subtypes_for_site: bySite(o, subtypesOf),
}

describe.skipIf(!available.shared)('the published lists and tables', () => {
  const reference = available.shared
    ? (JSON.parse(readFileSync(REFERENCE, 'utf8')) as Reference)
    : undefined
  const rules = new Rules({ hematopoietic: shippedHematopoietic(), yearNow: () => 2026 })

  test('have the groups with the texts of their ranges and their steps', () => {
    const own = rules.groups().map((id) => {
      const group = rules.group(id)
      return {
        id,
        name: group.name,
        site_in: group.site_inclusions ?? null,
        site_ex: null,
        hist_in: group.histology_inclusions ?? null,
        hist_ex: group.histology_exclusions ?? null,
        behavior_in: group.behavior_inclusions,
        year_in: group.year_inclusions,
        steps: group.rules.map(({ step }) => step),
      }
    })
    expect(own).toEqual(reference?.groups)
  })

  test('have the codes of each list', () => {
    const lists = { ...reference?.code_sets, ...reference?.scalars }
    expect(Object.keys(lists)).toHaveLength(166)
    for (const [name, list] of Object.entries(lists)) {
      if (UNNAMED.includes(name) || BRANCHES.includes(name)) continue
      expect(codes(ownList(name) ?? ''), name).toEqual(listed(list))
    }
    const paired = PAIRED_SITES.headAndNeck2018.split('; ').map((one) => one.replaceAll(' ', ','))
    expect(paired).toEqual(reference?.code_sets.head_and_neck_2018_paired_sites)
    const branches = Object.keys(BENIGN_BRAIN_2007)
    expect(branches).toEqual(
      expect.arrayContaining(BRANCHES.map((name) => reference?.scalars[name])),
    )
  })

  test('have the rows of each table', () => {
    const published = Object.entries(reference?.row_tables ?? {}).map(([name, rows]) => [
      name,
      Object.fromEntries(
        Object.entries(rows).map(([code, row]) => [
          code,
          typeof row === 'string' ? plain(row) : row.map(plain),
        ]),
      ),
    ])
    expect(ROW_TABLES).toEqual(Object.fromEntries(published))
  })

  test('have the tables of each site', () => {
    const published = Object.entries(reference?.by_site ?? {}).map(([name, all]) => [
      name,
      Object.fromEntries(
        Object.entries(all.site_to_table).map(([site, table]) => [site, all.tables[table]]),
      ),
    ])
    expect(BY_SITE).toEqual(Object.fromEntries(published))
  })
})

// The number of lines of each file below its head, by `wc -l`; the last line of the second file has no line end.
const FILES: readonly (readonly [string, keyof HematopoieticData, number])[] = [
  ['Hematopoietic1998HistologyPairs.csv', 'rangePairs1998', 193],
  ['Hematopoietic2001HistologyGroups.csv', 'groups2001', 53],
  ['Hematopoietic2001HistologyGroupPairs.csv', 'groupPairs2001', 562],
  ['Hematopoietic2010SamePrimaryPairs.csv', 'samePrimary2010', 3137],
  ['Hematopoietic2010TransformFromPairs.csv', 'transformFrom2010', 481],
  ['Hematopoietic2010TransformToPairs.csv', 'transformTo2010', 394],
]

describe.skipIf(!available.shared)('the published tables of blood and lymph', () => {
  const shipped = shippedHematopoietic()
  /** If every line is compared, their order is ignored, except where the first matching group applies. */
  const inOrder = (table: keyof HematopoieticData, rows: readonly unknown[]) =>
    table === 'groups2001' ? rows : rows.map((row) => JSON.stringify(row)).sort()

  test.each(FILES)('%s is what is shipped', (file, table, count) => {
    const published = parseHematopoietic(file, readFileSync(join(SHARED, 'mph', file), 'utf8'))
    expect(Object.keys(published)).toEqual([table])
    const rows = published[table] ?? []
    expect(rows).toHaveLength(count)
    expect(inOrder(table, shipped[table])).toEqual(inOrder(table, rows))
  })
})
