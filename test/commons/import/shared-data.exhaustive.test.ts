import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DatasetName } from '../../../engine/commons/datasets/define.ts'
import { importCommons } from '../../../engine/commons/import/import-commons.ts'
import type { ImportReport } from '../../../engine/commons/import/report.ts'
import { DocumentReader } from '../../../engine/commons/release/documents.ts'
import { Release } from '../../../engine/commons/release/release.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import type { GeneRow } from '../../../engine/shared/catalogue/genes.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import type { JsonObject } from '../../../engine/shared/input/json-value.ts'
import { available } from '../../available.ts'
import { SHARED } from './support/shared-data.ts'

// The whole public test data form one coherent commons. Expected numbers are counted by the command above them,
// or are given in the data's README.

/** Folders whose files are records of the commons. */
const TAKEN = /\/(cases|copy_number|files|genes|mutations)\//

/** A table of the data, parsed without the engine. */
function table(path: string): Record<string, string>[] {
  const bytes = readFileSync(join(SHARED, path))
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  const [header = [], ...rows] = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  return rows.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ''])))
}
const ids = (records: readonly JsonObject[], name: string) =>
  new Set(records.map((each) => String(each[name])))

describe.skipIf(!available.shared)('the public test data', () => {
  let folder = ''
  let report: ImportReport
  let genes: readonly GeneRow[] = []
  const records: Partial<Record<DatasetName, JsonObject[]>> = {}
  const of = (dataset: DatasetName) => records[dataset] ?? []
  const project = (id: string) => of('projects').find((each) => each.project_id === id)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casemill-shared-'))
    report = await importCommons({
      sources: [SHARED],
      dataFolder: folder,
      executor: inlineExecutor,
      release: '32.0',
      onGenes: (rows) => {
        genes = rows
      },
    })
    const releases = new Releases(folder)
    const release = await Release.open(releases.folder((await releases.current()) ?? ''))
    for (const dataset of ['projects', 'cases', 'files', 'annotations', 'genes'] as const) {
      const documents = await release.documents(dataset)
      const rows = Uint32Array.from({ length: documents.rows }, (_, row) => row)
      records[dataset] = new DocumentReader(documents).read(rows).map((text) => JSON.parse(text))
    }
    await release.close()
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is taken wherever it belongs to this import', () => {
    const taken = report.sources.filter(({ notTaken }) => notTaken === undefined)
    // ls cases copy_number files files/manifests files/history genes mutations ->
    // 43 tables and JSON files
    expect(taken).toHaveLength(43)
    expect(taken.every(({ source }) => TAKEN.test(source))).toBe(true)
    const others = report.sources.filter(({ notTaken }) => notTaken !== undefined)
    expect(
      others.filter(({ source }) => TAKEN.test(source) && !source.endsWith('ORIGIN.md')),
    ).toEqual([])
    // The lists of replaced files contain a merge marker, followed by the header, and one truncated row: zcat
    // DR6.0_files_swap.tsv.gz | sed -n '1p;1748,1749p' | cut -c1-30
    expect(report.badRows.map(({ source, line }) => [source.replace(/.*\//, ''), line])).toEqual([
      ['DR6.0_files_swap.tsv.gz', 1748],
      ['DR8.0_files_swap.first20000.tsv.gz', 2],
    ])
    expect(
      report.sources
        .filter(({ repeatedHeaders }) => repeatedHeaders !== undefined)
        .map(({ source, repeatedHeaders }) => [source.replace(/.*\//, ''), repeatedHeaders]),
    ).toEqual([['DR6.0_files_swap.tsv.gz', 1]])
  })

  test('gives each file once, under its newest id', () => {
    const manifests = readManifests()
    // data/README.md: the tables have 47,276 rows, of which 32,722 are version steps.
    expect(manifests).toHaveLength(47_276)
    const steps = manifests.filter((row) => row.new_id !== 'NA')
    expect(steps).toHaveLength(32_722)
    const found = ids(of('files'), 'file_id')
    expect(steps.filter((row) => found.has(row.id!))).toEqual([])
    const expected = new Set([
      ...manifests.map((row) => (row.new_id === 'NA' ? row.id : row.new_id)),
      ...table('files/manifests/gdc_manifest.tcga_brca_open.2019-07-31.txt.gz').map(
        (row) => row.id,
      ),
      ...table('files/manifests/gdc_manifest_cnv_slides_DR13.txt').map((row) => row.id),
      ...table('files/manifests/GDC_open_MAFs_manifest.txt').map((row) => row.id),
      ...table('files/manifests/CPTAC-3_7CasesRNASeq_GDC-Manifest.txt').map((row) => row.id),
      ...table('files/tcga_brca_transcriptome.api_tsv.tsv.gz').map((row) => row.file_id),
      ...table('files/tcga_wgs_primary_tumor_bam.files.tsv.gz').map((row) => row.file_id),
      ...cart().map((file) => file.file_id as string),
    ])
    expect(found).toEqual(expected)
    expect(report.datasets.files.records).toBe(expected.size)
  })

  test('keeps every replaced file as history', () => {
    const swaps = [
      'DR6.0_files_swap.tsv.gz',
      'DR8.0_files_swap.first20000.tsv.gz',
      'DR9.0_files_swap.tsv.gz',
    ]
    const uuid = /^[0-9a-f-]{36}$/
    const old = swaps
      .flatMap((name) => table(`files/history/${name}`))
      .filter(
        (row) => uuid.test(row['Old File UUID'] ?? '') && uuid.test(row['New File UUID'] ?? ''),
      )
      .map((row) => row['Old File UUID'])
    const steps = readManifests().filter((row) => row.new_id !== 'NA')
    expect(report.versionSteps).toBe(new Set([...old, ...steps.map((row) => row.id)]).size)
  })

  test('resolves the portal’s list of BRCA files, which has no ids, by name and size', () => {
    // python3: 7263 of 7263 (file_name, file_size) of the JSON are in the manifest
    const byName = new Map(of('files').map((each) => [`${each.file_name} ${each.file_size}`, each]))
    const rows = table('files/manifests/gdc_manifest.tcga_brca_open.2019-07-31.txt.gz')
    const told = rows.map((row) => {
      const file = byName.get(`${row.filename} ${row.size}`)
      return [file?.file_id, file?.md5sum, file?.access, Array.isArray(file?.cases)]
    })
    expect(told).toEqual(rows.map((row) => [row.id, row.md5, 'open', true]))
    expect(report.resolvedByName).toBeGreaterThan(7_263)
  })

  test('has the joins that the data notes state', () => {
    const legacy = new Set(
      table('cases/tcga_cases_legacy.tsv.gz').map((row) => row.case_id!.toLowerCase()),
    )
    const cases = new Map(of('cases').map((each) => [each.case_id as string, each]))
    expect(legacy.size).toBe(9_293)
    expect([...legacy].filter((id) => !cases.has(id))).toEqual([])

    const inManifests = readManifests()
    const casesOf = (pattern: RegExp) =>
      new Set(
        inManifests
          .filter((row) => pattern.test(row.project_id!))
          .flatMap((row) => row.case_ids!.split(','))
          .filter((id) => id !== 'NA'),
      )
    // "every case id in the eight TCGA manifests is in tcga_cases_legacy (3,057 of 3,057)"
    const tcga = casesOf(/^TCGA-/)
    expect([tcga.size, [...tcga].filter((id) => legacy.has(id)).length]).toEqual([3_057, 3_057])

    // "LUAD clinical 517 cases: 516 in the manifest, 517 in the legacy table"
    const luad = new Set(
      table('cases/tcga_luad_clinical.tsv.gz').map((row) => row['cases.case_id']!),
    )
    expect(luad.size).toBe(517)
    expect([...luad].filter((id) => casesOf(/^TCGA-LUAD$/).has(id))).toHaveLength(516)
    expect([...luad].filter((id) => legacy.has(id))).toHaveLength(517)
    for (const id of luad) {
      expect(cases.get(id)).toMatchObject({
        project: { project_id: 'TCGA-LUAD' },
        demographic: { demographic_id: expect.any(String) },
        diagnoses: expect.any(Array),
        exposures: expect.any(Array),
      })
    }

    // "metadata.cart 518 cases, 517 in LUAD clinical"
    const inCart = new Set(
      cart().flatMap((file) =>
        (file.associated_entities as JsonObject[]).map((each) => each.case_id as string),
      ),
    )
    expect([inCart.size, [...inCart].filter((id) => luad.has(id)).length]).toEqual([518, 517])
    const files = new Map(of('files').map((each) => [each.file_id, each]))
    for (const file of cart()) {
      const [entity] = file.associated_entities as JsonObject[]
      expect(files.get(file.file_id)).toMatchObject({ cases: [{ case_id: entity?.case_id }] })
    }

    // "WGS files 9,199 of 9,313 have their case in the legacy table"
    const wgs = table('files/tcga_wgs_primary_tumor_bam.files.tsv.gz')
    expect(wgs.filter((row) => legacy.has(row.case_id!))).toHaveLength(9_199)
    expect(wgs.filter((row) => !cases.has(row.case_id!))).toEqual([])
  })

  test('counts diagnoses and treatments of LUAD as the export lists them', () => {
    const rows = table('cases/tcga_luad_clinical.tsv.gz')
    const distinct = (name: string) =>
      new Set(rows.map((row) => row[name]).filter((id) => id !== "'--"))
    const luad = new Set(rows.map((row) => row['cases.case_id']))
    const cases = of('cases').filter((each) => luad.has(each.case_id as string))
    const diagnoses = cases.flatMap((each) => each.diagnoses as JsonObject[])
    expect(ids(diagnoses, 'diagnosis_id')).toEqual(distinct('diagnoses.diagnosis_id'))
    const treatments = diagnoses.flatMap((each) => (each.treatments ?? []) as JsonObject[])
    expect(ids(treatments, 'treatment_id')).toEqual(distinct('treatments.treatment_id'))
    // zcat tcga_luad_follow_up.tsv.gz: 2,429 follow-ups, 238 other clinical attributes
    const followUps = cases.flatMap((each) => (each.follow_ups ?? []) as JsonObject[])
    expect(ids(followUps, 'follow_up_id').size).toBe(2_429)
    const attributes = followUps.flatMap(
      (each) => (each.other_clinical_attributes ?? []) as JsonObject[],
    )
    expect(ids(attributes, 'other_clinical_attribute_id').size).toBe(238)
  })

  test('knows who died: 77 of the 560 head-and-mouth cases, as the source says', () => {
    const source = JSON.parse(
      gunzipSync(readFileSync(join(SHARED, 'cases/gdc_cases_head_and_mouth.json.gz'))).toString(),
    ) as JsonObject[]
    const cases = new Map(of('cases').map((each) => [each.case_id, each]))
    let inDays = 0
    for (const { id, demographic, submitter_id, disease_type, sample_ids } of source) {
      const record = cases.get(id)
      const given = demographic as JsonObject
      const isInDays = Number(given.age_at_index) > 150
      if (isInDays) inDays++
      // The field holds years, and the report lists values that are not years.
      const read = isInDays ? { ...given, age_at_index: null } : given
      expect(record).toMatchObject({ demographic: read, submitter_id, disease_type })
      const samples = new Set(record?.sample_ids as string[])
      expect(((sample_ids ?? []) as string[]).filter((each) => !samples.has(each))).toEqual([])
    }
    // jq '[.[] | select(.demographic.age_at_index > 150)] | length'
    expect(inDays).toBe(298)
    const dead = source.filter(
      ({ demographic }) => (demographic as JsonObject).vital_status === 'Dead',
    )
    expect(dead).toHaveLength(77)
    // "201 ids join to the TCGA-HNSC manifest"
    const joined = source.filter(({ id }) => {
      const { project: link } = cases.get(id) ?? {}
      return (link as JsonObject | undefined)?.project_id === 'TCGA-HNSC'
    })
    expect(joined).toHaveLength(201)
  })

  test('adds up its projects', () => {
    const sums = new Map<string, { files: number; size: number }>()
    const projectOf = new Map(
      of('cases').map((each) => [
        each.case_id,
        (each.project as JsonObject | undefined)?.project_id,
      ]),
    )
    for (const file of of('files')) {
      const links = ((file.cases ?? []) as JsonObject[]).map((each) => each.case_id)
      for (const id of new Set(links.map((link) => projectOf.get(link)))) {
        if (id === undefined) continue
        const sum = sums.get(String(id)) ?? { files: 0, size: 0 }
        sum.files++
        sum.size += Number(file.file_size ?? 0)
        sums.set(String(id), sum)
      }
    }
    for (const [id, { files, size }] of sums) {
      expect(project(id)).toMatchObject({ summary: { file_count: files, file_size: size } })
    }
    for (const each of of('projects')) {
      const count = [...projectOf.values()].filter((id) => id === each.project_id).length
      expect(each.summary).toMatchObject({ case_count: count })
    }
    expect(project('TCGA-LUAD')).toMatchObject({
      name: 'Lung Adenocarcinoma',
      program: { name: 'TCGA' },
      released: true,
    })
    // There are 28 projects in the legacy table, CPTAC-2, GENIE-JHU, three of TARGET, and three in the annotations.
    expect(of('projects')).toHaveLength(36)
  })

  test('has the annotations of the cart and of the list, each in its case', () => {
    const inCart = new Set(
      cart().flatMap((file) =>
        ((file.annotations ?? []) as JsonObject[]).map((each) => each.annotation_id),
      ),
    )
    expect(of('annotations')).toHaveLength(inCart.size + 4)
    const cases = new Map(of('cases').map((each) => [each.case_id, each]))
    for (const annotation of of('annotations')) {
      if (annotation.entity_type !== 'case') continue
      const placed = (cases.get(annotation.case_id)?.annotations ?? []) as JsonObject[]
      expect(ids(placed, 'annotation_id').has(String(annotation.annotation_id))).toBe(true)
    }
  })

  test('has one gene model, with descriptions', () => {
    // data/README.md: 60,660 genes of GENCODE v36, 19,962 of them protein coding.
    const model = table('genes/gencode.v36.genes.tsv.gz')
    expect(model).toHaveLength(60_660)
    const found = new Map(of('genes').map((each) => [each.gene_id, each]))
    const told = model.map((row) => {
      const id = row.gene_id_version?.endsWith('_PAR_Y') ? row.gene_id_version : row.gene_id
      const gene = found.get(id)
      return [gene?.symbol, gene?.gene_start, gene?.gene_end, gene?.biotype]
    })
    expect(told).toEqual(
      model.map((row) => [row.symbol, Number(row.start), Number(row.end), row.biotype]),
    )
    expect(found.get('ENSG00000141510')).toMatchObject({
      symbol: 'TP53',
      gene_chromosome: '17',
      gene_strand: -1,
      description: 'tumor protein p53',
      external_db_ids: { hgnc: ['HGNC:11998'], entrez_gene: ['7157'] },
    })
    expect(genes).toHaveLength(of('genes').length)
  })
})

function cart(): JsonObject[] {
  const path = join(SHARED, 'files/tcga_luad_star_counts.metadata.cart.json.gz')
  return JSON.parse(gunzipSync(readFileSync(path)).toString())
}

function readManifests(): Record<string, string>[] {
  const projects = [
    ...['CPTAC-2', 'GENIE-JHU', 'TARGET-NBL', 'TARGET-OS', 'TARGET-WT', 'TCGA-ACC', 'TCGA-CHOL'],
    ...['TCGA-COAD', 'TCGA-GBM', 'TCGA-HNSC', 'TCGA-KIRC', 'TCGA-LAML', 'TCGA-LUAD'],
  ]
  return projects.flatMap((name) => table(`files/manifests/GCv36.${name}.tsv.gz`))
}
