import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { importCommons } from '../../../engine/commons/import/import-commons.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { formatReleasingReport } from '../../../engine/submission/index.ts'
import { available } from '../../available.ts'
import { samtools } from '../../commons/slicing/support/clients.ts'
import { AS_ADMIN } from '../support/service.ts'
import {
  alignmentDocument,
  bytesOf,
  caseDocument,
  type GivenDocument,
  json,
  readGroupDocument,
  sampleDocument,
  tableDocument,
  wholeCase,
} from './support/documents.ts'
import { STUDY, smallAlignment, submitStudy, tableText } from './support/small-study.ts'
import { md5Of, ReleasingWorld } from './support/world.ts'

let alignment: Awaited<ReturnType<typeof smallAlignment>>
beforeAll(async () => {
  alignment = await smallAlignment()
})
afterAll(() => alignment.remove())

let world: ReleasingWorld
beforeEach(async () => {
  world = await ReleasingWorld.open()
})
afterEach(() => world.close())

const release = (request = {}) => world.engine.submission.releasing.release(request)

interface FileHit {
  readonly id: string
  readonly [name: string]: unknown
}

const post = (path: string, body: object) =>
  world.ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('a study that is submitted and released', () => {
  test('is found, counted, downloaded, sliced and measured', async () => {
    await world.register(STUDY)
    const ids = await submitStudy(world, alignment.bytes)
    const id = (name: string) => ids.get(name) ?? ''
    const shared = Buffer.from('of both cases')
    const [both = ''] = (
      await world.submit(STUDY, [
        {
          type: 'clinical_supplement',
          submitter_id: 'both',
          ...bytesOf('both.txt', shared),
          data_category: 'Clinical',
          data_format: 'BCR Biotab',
          data_type: 'Clinical Supplement',
          cases: [{ submitter_id: 'C1' }, { submitter_id: 'C2' }],
        },
      ])
    ).values()
    await world.deliver(both, STUDY, 'both.txt', shared)
    await world.handOver(STUDY)
    expect([...(await world.states(STUDY)).values()]).toContain('submitted submitted')

    const would = await release({ dryRun: true })
    expect(would).toMatchObject({ problems: [], projects: [{ cases: 2, files: 4 }] })
    expect(await world.engine.commons.releases.current()).toBeUndefined()
    expect(await world.engine.shared.files.find(id('C1_bam'))).toMatchObject({ dataFormat: null })

    const report = await release()
    expect(report).toMatchObject({ dataRelease: 'Data Release 1.0', problems: [], notes: [] })
    expect(report.projects).toMatchObject([
      { projectId: STUDY, cases: 2, files: 4, annotations: 2 },
    ])
    expect(report.made?.sources).toMatchObject([{ unknownFields: [] }])
    expect(report.made?.datasets.files.conflicts).toEqual([])
    expect(report.made?.datasets.cases.conflicts).toEqual([])
    expect(new Set((await world.states(STUDY)).values())).toEqual(
      new Set(['released', 'released released']),
    )
    expect(await world.project(STUDY)).toEqual({ state: 'open', releasable: 1, released: 0 })

    const groups =
      'samples.portions.analytes.aliquots,samples.portions.slides,samples.portions,samples,' +
      'demographic,diagnoses,diagnoses.treatments,diagnoses.pathology_details,exposures,' +
      'family_histories,follow_ups,follow_ups.molecular_tests,follow_ups.other_clinical_attributes,' +
      'project,project.program,summary,summary.data_categories,files,annotations'
    const { data: whole } = await world.get<{ data: object }>(`/cases/${id('C1')}?expand=${groups}`)
    expect(whole).toMatchObject({
      case_id: id('C1'),
      submitter_id: 'C1',
      state: 'released',
      primary_site: 'Kidney',
      sample_ids: [id('C1_sample')],
      submitter_aliquot_ids: ['C1_aliquot'],
      diagnosis_ids: [id('C1_diagnosis')],
      slide_ids: [id('C1_slide')],
      demographic: {
        demographic_id: id('C1_demographic'),
        vital_status: 'Dead',
        days_to_death: 400,
      },
      diagnoses: [
        {
          diagnosis_id: id('C1_diagnosis'),
          age_at_diagnosis: 20_000,
          treatments: [{ treatment_id: id('C1_treatment'), submitter_id: 'C1_treatment' }],
          pathology_details: [{ pathology_detail_id: id('C1_detail') }],
        },
      ],
      exposures: [{ exposure_id: id('C1_exposure'), pack_years_smoked: 7.5 }],
      family_histories: [{ family_history_id: id('C1_history') }],
      follow_ups: [
        {
          follow_up_id: id('C1_follow_up'),
          days_to_follow_up: 300,
          molecular_tests: [{ molecular_test_id: id('C1_test'), gene_symbol: 'ABI1' }],
          other_clinical_attributes: [
            { other_clinical_attribute_id: id('C1_attribute'), bmi: 22.5 },
          ],
        },
      ],
      samples: [
        {
          sample_id: id('C1_sample'),
          tissue_type: 'Tumor',
          state: 'released',
          portions: [
            {
              portion_id: id('C1_portion'),
              analytes: [{ aliquots: [{ aliquot_id: id('C1_aliquot') }] }],
              slides: [{ slide_id: id('C1_slide'), section_location: 'TOP' }],
            },
          ],
        },
      ],
      project: { project_id: STUDY, name: 'Study ONE', program: { name: 'PRO' } },
      summary: {
        file_count: 3,
        data_categories: [
          { data_category: 'Clinical', file_count: 1 },
          { data_category: 'Genomic Profiling', file_count: 1 },
          { data_category: 'Sequencing Reads', file_count: 1 },
        ],
      },
      files: expect.arrayContaining([expect.objectContaining({ file_name: 'reads.bam' })]),
    })

    const [bam] = await world.hits<FileHit>(
      `/files?filters=${encodeURIComponent(JSON.stringify({ op: '=', content: { field: 'data_format', value: 'BAM' } }))}&expand=cases,cases.samples,associated_entities,analysis.metadata.read_groups`,
    )
    expect(bam).toMatchObject({
      id: id('C1_bam'),
      file_name: 'reads.bam',
      submitter_id: 'C1_bam',
      access: 'open',
      type: 'submitted_aligned_reads',
      data_category: 'Sequencing Reads',
      version: '1',
      data_type: 'Aligned Reads',
      experimental_strategy: 'WXS',
      data_release: '1.0',
      file_size: alignment.bytes.length,
      md5sum: md5Of(alignment.bytes),
      state: 'released',
      file_state: 'released',
      acl: ['open'],
      cases: [{ case_id: id('C1'), submitter_id: 'C1', samples: [{ sample_id: id('C1_sample') }] }],
      associated_entities: [
        {
          entity_id: id('C1_aliquot'),
          entity_type: 'aliquot',
          entity_submitter_id: 'C1_aliquot',
          case_id: id('C1'),
        },
      ],
      analysis: { metadata: { read_groups: [{ read_group_id: id('C1_reads'), read_length: 75 }] } },
    })

    const { data: pooled } = await world.get<{ data: { cases: readonly FileHit[] } }>(
      `/files/${both}?expand=cases,associated_entities`,
    )
    const cases = [id('C1'), id('C2')].sort()
    expect(pooled.cases.map(({ case_id }) => case_id).sort()).toEqual(cases)
    expect(pooled).toMatchObject({
      associated_entities: cases.map(() => expect.objectContaining({ entity_type: 'case' })),
    })

    const facets = await world.get<{ data: { aggregations: object } }>(
      '/cases?facets=demographic.vital_status,project.project_id,samples.tissue_type&size=0',
    )
    expect(facets.data.aggregations).toEqual({
      'demographic.vital_status': { buckets: [{ doc_count: 2, key: 'dead' }] },
      'project.project_id': { buckets: [{ doc_count: 2, key: STUDY }] },
      'samples.tissue_type': { buckets: [{ doc_count: 2, key: 'tumor' }] },
    })
    const [project] = await world.hits<object>(
      '/projects?expand=program,summary,summary.experimental_strategies',
    )
    expect(project).toMatchObject({
      id: STUDY,
      released: true,
      state: 'open',
      disease_type: ['Adenomas and Adenocarcinomas'],
      registry_accession_number: 'phs000002',
      program: { name: 'PRO', registry_accession_number: 'phs000001' },
      summary: {
        case_count: 2,
        file_count: 4,
        experimental_strategies: [{ experimental_strategy: 'WXS', case_count: 2, file_count: 3 }],
      },
    })
    const annotations = await world.hits<object>('/annotations?sort=case_submitter_id:asc')
    expect(annotations).toMatchObject([
      {
        annotation_id: id('C1_remark'),
        entity_type: 'aliquot',
        entity_id: id('C1_aliquot'),
        case_id: id('C1'),
        case_submitter_id: 'C1',
        notes: 'a remark',
        category: 'General',
      },
      { annotation_id: id('C2_remark') },
    ])

    const data = await world.ask(`/data/${id('C1_bam')}`)
    expect(Buffer.from(await data.arrayBuffer()).equals(alignment.bytes)).toBe(true)
    if (available.samtools) await expectSlices(id('C1_bam'))
    expect(await world.get(`/history/${id('C1_bam')}`)).toMatchObject([
      { uuid: id('C1_bam'), version: '1', file_change: 'released', data_release: '1.0' },
    ])
    const values = await post('/gene_expression/values', {
      case_ids: [id('C1'), id('C2')],
      gene_ids: ['ENSG00000139618', 'ENSG00000141510'],
      tsv_units: 'uqfpkm',
      format: 'tsv',
    })
    const [first, second] = [id('C1'), id('C2')].sort()
    const ofFirst = first === id('C1')
    expect((await values.text()).trimEnd().split('\n')).toEqual([
      `gene_id\t${first}\t${second}`,
      `ENSG00000139618\t${ofFirst ? '20.25\t0' : '0\t20.25'}`,
      `ENSG00000141510\t${ofFirst ? '1.5\t3' : '3\t1.5'}`,
    ])
  })
})

/** Expects slices of the released alignment, submitted without an index, to be those of samtools. */
async function expectSlices(id: string): Promise<void> {
  for (const region of ['chr1:1047787-1048500', 'chr2', 'chrM:3000-3060', 'chr1:1-300000']) {
    const slice = await world.ask(`/slicing/view/${id}?region=${region}`)
    expect(slice.status).toBe(206)
    const path = join(world.folder, 'slice.bam')
    await writeFile(path, Buffer.from(await slice.arrayBuffer()))
    const ours = await samtools('view', path)
    const theirs = await samtools('view', alignment.path, region)
    expect(ours.equals(theirs)).toBe(true)
    // The last region has no records.
    expect([region, theirs.length > 0]).toEqual([region, region !== 'chr1:1-300000'])
  }
}

/** Submits the bytes of a file as its next version, and returns the id. */
async function replace(document: GivenDocument & { file_name: string }, bytes: Uint8Array) {
  const ids = await world.submit(STUDY, [document], 'put')
  const id = ids.get(document.submitter_id) ?? ''
  await world.deliver(id, STUDY, document.file_name, bytes)
  return id
}

const withoutLists = (record: FileHit) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => !Array.isArray(value)))

async function part(bytes: Uint8Array): Promise<string> {
  const path = join(world.folder, 'part')
  await writeFile(path, bytes)
  return path
}

const documentsOf = async (dataset: 'cases' | 'files') => {
  const { data } = await world.get<{ data: { hits: readonly FileHit[] } }>(
    `/${dataset}?size=100&sort=${dataset.slice(0, -1)}_id:asc`,
  )
  return data.hits
}

describe('releasing', () => {
  beforeEach(() => world.register(STUDY))

  test('is not released again, whatever is added batch by batch', async () => {
    const { engine } = world
    await submitStudy(world, Buffer.from('no alignment'))
    const remark = { category: 'General', classification: 'Observation', notes: 'late' }
    const batches: readonly (readonly GivenDocument[])[] = [
      [],
      [...wholeCase('C3', 'ONE'), sampleDocument('C1_second', 'C1', 'Normal')],
      [{ type: 'annotation', submitter_id: 'late', cases: { submitter_id: 'C3' }, ...remark }],
    ]
    let before = new Map<string, FileHit>()
    for (const [i, batch] of batches.entries()) {
      if (batch.length > 0) await world.submit(STUDY, batch)
      await world.handOver(STUDY)
      expect(await release()).toMatchObject({ dataRelease: `Data Release ${i + 1}.0` })
      const served = await engine.commons.releases.current()
      const states = await world.states(STUDY)
      const now = new Map((await documentsOf('cases')).map((one) => [one.id, one]))

      expect(await release()).toMatchObject({ projects: [], unchanged: [], problems: [] })
      // The project is marked as released again, without new entities.
      const at = { ...AS_ADMIN, program: 'PRO', project: 'ONE', path: '/' }
      await engine.submission.transactions.act({ ...at, action: 'release' })
      expect(await release()).toMatchObject({ projects: [], unchanged: [STUDY] })
      expect(await engine.commons.releases.current()).toBe(served)
      expect(await engine.commons.releases.names()).toHaveLength(i + 1)
      expect(await world.project(STUDY)).toMatchObject({ state: 'open', released: 0 })
      expect(await world.states(STUDY)).toEqual(states)
      expect(new Map((await documentsOf('cases')).map((one) => [one.id, one]))).toEqual(now)

      // Entities released before are unchanged, except for additions.
      for (const [id, one] of before) expect(now.get(id)).toMatchObject(withoutLists(one))
      const range = i === 0 ? '1.0' : `1.0 - ${i + 1}.0`
      for (const file of await documentsOf('files')) expect(file.data_release).toBe(range)
      before = now
    }
    expect([...before.values()].map((one) => (one.sample_ids as string[]).length).sort()).toEqual([
      ...[1, 1, 2],
    ])
  })

  test('has a history: what others took the place of is reported', async () => {
    const first = await submitStudy(world, alignment.bytes)
    await world.handOver(STUDY)
    await release()
    const texts = [tableText('7.0000', '8.0000'), tableText('9.5000', '1.0000')] as const
    const versions = [first.get('C1_table') ?? '']
    for (const text of texts) {
      const released = (await documentsOf('files')).map(({ id }) => id)
      versions.push(await replace(tableDocument('C1_table', 'C1_reads', 'c1.tsv', text), text))
      // Without a handover, nothing is replaced.
      const at = { ...AS_ADMIN, program: 'PRO', project: 'ONE', path: '/' }
      await world.engine.submission.transactions.act({ ...at, action: 'release' })
      const report = await release()
      const waiting = [{ type: 'submitted_genomic_profile', count: 1 }]
      expect(report).toMatchObject({
        unchanged: [STUDY],
        waiting: [{ projectId: STUDY, waiting }],
      })
      expect(formatReleasingReport(report)).toContain(
        `${STUDY}: 1 entity is not submitted (1 submitted_genomic_profile); its submitters`,
      )
      expect((await documentsOf('files')).map(({ id }) => id)).toEqual(released)
      await world.handOver(STUDY)
      expect(await release()).toMatchObject({ expression: { samplesRead: 1, cases: 2 } })
    }
    const [one = '', two = '', three = ''] = versions
    const history = [
      { uuid: one, version: '1', file_change: 'superseded', data_release: '1.0' },
      { uuid: two, version: '2', file_change: 'superseded', data_release: '2.0' },
      { uuid: three, version: '3', file_change: 'released', data_release: '3.0' },
    ]
    for (const id of versions) expect(await world.get(`/history/${id}`)).toMatchObject(history)
    expect(await world.get(`/files/versions/${one}`)).toMatchObject([
      { id: one, version: '1', latest_id: three, latest_version: '3', release: '1.0' },
    ])
    expect(await world.status(`/files/${one}`)).toBe(404)
    expect((await documentsOf('files')).map(({ id }) => id)).not.toContain(two)
    // Open files need no token. A superseded one names the latest version.
    const former = await world.ask(`/data/${two}`)
    expect(former.status).toBe(404)
    expect(former.headers.get('link')).toBe(`</data/${three}>; rel="latest-version"`)
    expect(await (await world.ask(`/data/${three}`)).text()).toBe(texts[1].toString())
    const values = await post('/gene_expression/values', {
      case_ids: [first.get('C1')],
      gene_ids: ['ENSG00000141510'],
      tsv_units: 'uqfpkm',
      format: 'tsv',
    })
    expect(await values.text()).toContain('ENSG00000141510\t9.5\n')
  })

  test('is closed where the project says so, also of versions that are gone', async () => {
    await world.register(STUDY, { access: 'controlled' })
    await world.register(STUDY)
    const text = tableText('1.0000', '2.0000')
    const next = tableText('3.0000', '4.0000')
    const ids = await submitStudy(world, alignment.bytes)
    await world.handOver(STUDY)
    await release()
    await replace(tableDocument('C1_table', 'C1_reads', 'c1.tsv', next), next)
    await world.handOver(STUDY)
    await release()
    expect(text.equals(next)).toBe(false)
    const [file] = await documentsOf('files')
    expect(file).toMatchObject({ access: 'controlled', acl: [STUDY] })
    for (const id of [ids.get('C2_table'), ids.get('C1_bam')]) {
      expect(await world.status(`/data/${id}`)).toBe(403)
    }
    expect(await world.status(`/data/${ids.get('C1_table')}`)).toBe(404)
    const refused = { access: 'secret' }
    await expect(world.register(STUDY, refused)).rejects.toThrow("['open', 'controlled']")
  })

  test('is beside what other projects have, and adds to what was imported of its own', async () => {
    const imported = {
      case_id: '3f0b6a44-0000-4000-8000-000000000001',
      submitter_id: 'C1',
      project: { project_id: STUDY, name: 'as imported' },
      primary_site: 'Skin',
      consent_type: 'Waiver',
    }
    const other = {
      ...imported,
      case_id: '3f0b6a44-0000-4000-8000-000000000002',
      submitter_id: 'X',
      project: { project_id: 'OTHER-P' },
    }
    const path = join(world.folder, 'cases.json')
    await writeFile(path, JSON.stringify([imported, other]))
    const { folder: dataFolder } = world
    await importCommons({ sources: [path], dataFolder, executor: inlineExecutor })
    const id = imported.case_id
    await world.submit(STUDY, [{ ...caseDocument('C1', 'ONE'), id }])
    await world.handOver(STUDY)
    expect(await release()).toMatchObject({ dataRelease: 'Data Release 2.0', problems: [] })
    const cases = await world.hits<object>('/cases?expand=project&sort=submitter_id:asc')
    expect(cases).toMatchObject([
      { id, submitter_id: 'C1', project: { name: 'Study ONE' }, primary_site: 'Kidney' },
      { id: other.case_id, submitter_id: 'X', project: { project_id: 'OTHER-P' } },
    ])
    expect(cases[0]).toMatchObject({ consent_type: 'Waiver' })

    // An id that belongs to another project stays with it.
    await world.submit(STUDY, [{ ...caseDocument('C9', 'ONE'), id: other.case_id }])
    await world.handOver(STUDY)
    const report = await release()
    expect(report.problems).toEqual([
      {
        projectId: STUDY,
        entityId: other.case_id,
        type: 'case',
        problem: 'the current release has its id as that of project OTHER-P',
      },
    ])
    expect(await world.engine.commons.releases.names()).toHaveLength(2)
  })

  test('leaves nothing out: a problem with any of it is reported by id, and nothing is made', async () => {
    const ids = await submitStudy(world, alignment.bytes)
    const id = (name: string) => ids.get(name) ?? ''
    await world.handOver(STUDY)
    await world.set(id('C1_bam'), { file_state: 'registered' })
    await world.set(id('C2'), { state: 'validated' })
    await world.set(id('C2_table'), { properties: JSON.stringify({ md5sum: 'x', file_size: 1 }) })
    const report = await release({ dryRun: true })
    expect(report.problems.slice(0, 1)).toEqual([
      {
        projectId: STUDY,
        entityId: id('C1_bam'),
        type: 'submitted_aligned_reads',
        problem: "its data are not here: its file_state is 'registered'",
      },
    ])
    const strays = report.problems.slice(1)
    const { problem } = strays[0] ?? {}
    expect(problem).toBe('no case that was submitted is above it')
    expect(new Set(strays.map((one) => one.problem))).toEqual(new Set([problem]))
    expect(strays.map(({ entityId }) => entityId).sort()).toEqual(
      [...ids].flatMap(([name, each]) => (name.startsWith('C2_') ? [each] : [])).sort(),
    )
    expect((await release()).problemCount).toBe(report.problemCount)
    await world.set(id('C2'), { state: 'submitted' })
    await world.set(id('C1_bam'), { file_state: 'validated' })
    expect((await release()).problems).toMatchObject([
      { entityId: id('C2_table'), problem: expect.stringMatching(/the entity says otherwise$/) },
    ])
    // A truncated table of expression cannot be part of the matrix.
    const cut = tableText('3.0000', '0.0000').subarray(0, -9)
    const facts = { md5sum: md5Of(cut), file_size: cut.length, data_format: 'TSV' }
    await world.set(id('C2_table'), { properties: JSON.stringify(facts) })
    await world.engine.shared.blobs.folder.take(
      { id: id('C2_table'), name: 'c2.tsv' },
      await part(cut),
    )
    const row = await world.engine.shared.files.find(id('C2_table'))
    await world.engine.shared.files.remove(id('C2_table'))
    if (row) await world.engine.shared.files.add({ ...row, md5: md5Of(cut), size: cut.length })
    await expect(release()).rejects.toThrow(
      `"${id('C2_table')}" ends within a line; it was cut off`,
    )
    expect(await world.engine.commons.releases.current()).toBeUndefined()
    await expect(release({ projects: ['PRO-TWO'] })).rejects.toThrow('"PRO-TWO" is not marked')
    expect(formatReleasingReport(report)).toContain(`submitted_aligned_reads ${id('C1_bam')}: its`)
  })

  test('may be pooled, below a sample itself, an alignment that cannot be sliced, or an index', async () => {
    const unsorted = Buffer.from('no alignment')
    const index = Buffer.from('an index')
    const samples = await world.submit(STUDY, [
      caseDocument('C1', 'ONE'),
      sampleDocument('S1', 'C1'),
      sampleDocument('S2', 'C1', 'Normal'),
      {
        type: 'aliquot',
        submitter_id: 'pool',
        samples: [{ submitter_id: 'S1' }, { submitter_id: 'S2' }],
      },
      {
        type: 'slide',
        submitter_id: 'slide',
        samples: { submitter_id: 'S1' },
        section_location: 'TOP',
      },
      readGroupDocument('C1_reads', 'pool'),
    ])
    const references = [
      { type: 'tissue_source_site', code: '7X', name: 'a site' },
      {
        type: 'center',
        code: '09',
        name: 'a center',
        short_name: 'C',
        namespace: 'center.example',
        center_type: 'CGCC',
      },
    ]
    await world.engine.submission.transactions.administration.putReferences({
      ...AS_ADMIN,
      ...json(references),
    })
    const linked = [
      { ...caseDocument('C1', 'ONE'), tissue_source_sites: { code: '7X' } },
      { type: 'aliquot', submitter_id: 'pool', centers: { code: '09' } },
    ]
    await world.submit(STUDY, linked, 'put')
    const ids = await world.submit(STUDY, [
      alignmentDocument('bam', 'C1_reads', 'x.bam', unsorted),
      {
        type: 'aligned_reads_index',
        submitter_id: 'bai',
        ...bytesOf('x.bam.bai', index),
        data_category: 'Sequencing Data',
        data_format: 'BAI',
        data_type: 'Aligned Reads Index',
        submitted_aligned_reads_files: { submitter_id: 'bam' },
      },
    ])
    const [bam = '', bai = ''] = ids.values()
    await world.deliver(bam, STUDY, 'x.bam', unsorted)
    await world.deliver(bai, STUDY, 'x.bam.bai', index)
    await world.handOver(STUDY)
    const report = await release()
    expect(report.notes).toMatchObject([
      { entityId: bam, problem: expect.stringMatching(/^it cannot be sliced: /) },
    ])
    expect(await world.hits('/files?expand=index_files')).toMatchObject([
      { id: bam, index_files: [{ file_id: bai, file_name: 'x.bam.bai', file_size: 8 }] },
    ])
    expect(await world.status(`/slicing/view/${bam}`)).toBe(404)
    expect(await (await world.ask(`/data/${bai}`)).text()).toBe('an index')
    const { data } = await world.get<{ data: { samples: object[] } & object }>(
      `/cases/${samples.get('C1')}?expand=samples,samples.portions.analytes.aliquots,samples.portions.analytes.aliquots.center,samples.portions.slides,tissue_source_site`,
    )
    const center = { code: '09', name: 'a center' }
    const aliquot = { analytes: [{ aliquots: [{ aliquot_id: samples.get('pool'), center }] }] }
    expect(data).toMatchObject({
      sample_ids: [samples.get('S1'), samples.get('S2')],
      aliquot_ids: [samples.get('pool')],
      slide_ids: [samples.get('slide')],
      tissue_source_site: { code: '7X', name: 'a site' },
      samples: [
        {
          submitter_id: 'S1',
          portions: [{ ...aliquot, slides: [{ slide_id: samples.get('slide') }] }],
        },
        { submitter_id: 'S2', portions: [aliquot] },
      ],
    })
  })
})
