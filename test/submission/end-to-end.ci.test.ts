import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram } from '../../bin/support/program.ts'
import { augmented, CODING } from '../../engine/commons/import/expression/support/given-files.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { available } from '../available.ts'
import { ServedFolder } from '../clients/support/served-folder.ts'
import { samtools } from '../commons/slicing/support/clients.ts'

// From an empty folder to the public interface, using only the program and HTTP.

const CASES = 200
const PROJECT = '/submission/LAB/ONE'
const GENES = [
  ['ENSG00000141510.18', 'TP53', CODING, '12.3456'],
  ['ENSG00000012048.23', 'BRCA1', CODING, '0.5000'],
] as const
const COMMON = { experimental_strategy: 'RNA-Seq' }

let folder = ''
let data = ''
let served: ServedFolder
let provider = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-whole-'))
  data = join(folder, 'data')
  await makeBam({ path: join(folder, 'reads.bam'), seed: 9, scale: 'tiny', style: 'htsjdk' })
  await writeFile(join(folder, 'counts.tsv'), augmented(GENES))
})
afterAll(async () => {
  await served?.kill()
  await rm(folder, { recursive: true })
})

const casemill = async (...words: readonly string[]) => {
  const { status, out, err } = await runProgram(words, { CASEMILL_DATA: data })
  if (status !== 0) throw new Error(`casemill ${words.join(' ')}: ${err}`)
  return out.trim()
}

interface Sent {
  readonly method?: string
  readonly token?: string
  readonly type?: string
  readonly body?: string | Buffer
}

async function ask(path: string, { method = 'GET', token, type, body }: Sent = {}) {
  const response = await fetch(`${served.address}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { 'X-Auth-Token': token }),
      ...(type === undefined ? {} : { 'Content-Type': type }),
    },
    ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }),
  })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** Returns the body of an answer that must succeed. */
async function done(path: string, sent?: Sent) {
  const { status, bytes } = await ask(path, sent)
  if (status >= 300) throw new Error(`${path}: ${status} ${bytes}`)
  return JSON.parse(bytes.toString() || 'null')
}

const submit = (path: string, body: unknown, type = 'application/json') =>
  done(`${PROJECT}${path}`, {
    method: 'POST',
    token: provider,
    type,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const table = (rows: readonly (readonly string[])[]) =>
  rows.map((cells) => `${cells.join('\t')}\n`).join('')

const numbered = Array.from({ length: CASES }, (_, i) => String(i).padStart(3, '0'))

async function fileFacts(name: string) {
  const bytes = await readFile(join(folder, name))
  const md5sum = createHash('md5').update(bytes).digest('hex')
  return { file_name: name, file_size: bytes.length, md5sum }
}

async function upload(id: string, name: string) {
  const body = await readFile(join(folder, name))
  expect(
    await ask(`${PROJECT}/files/${id}`, { method: 'PUT', token: provider, body }),
  ).toMatchObject({ status: 200 })
}

test('a project is registered by an administrator, who lets a provider in', async () => {
  const admin = await casemill('token', 'create', '--user', 'head', '--admin')
  provider = await casemill(
    ...['token', 'create', '--user', 'lab'],
    ...['--project', 'LAB-ONE:read,create,update,delete,release,download'],
  )
  served = new ServedFolder(data)
  await served.start()
  const put = (path: string, body: object) =>
    done(path, { method: 'PUT', token: admin, body: JSON.stringify(body) })
  const accession = { dbgap_accession_number: 'phs000001' }
  expect(await put('/submission', { type: 'program', name: 'LAB', ...accession })).toMatchObject({
    name: 'LAB',
  })
  expect(await put('/submission/LAB', { code: 'ONE', name: 'First', ...accession })).toMatchObject({
    success: true,
  })
})

test('two hundred cases with samples come in as tables, files and their numbers as documents', async () => {
  const cases = table([
    ['*type', '*submitter_id', 'projects.code', '*disease_type', '*primary_site'],
    ...numbered.map((n, i) => {
      const site = i % 4 === 0 ? 'Brain' : 'Breast'
      return ['case', `C-${n}`, 'ONE', 'Ductal and Lobular Neoplasms', site]
    }),
  ])
  expect(await submit('/_dry_run', cases, 'text/tsv')).toMatchObject({ success: true })
  expect(await submit('', cases, 'text/tsv')).toMatchObject({
    code: 201,
    created_entity_count: CASES,
  })
  const kinds = 'preservation_method specimen_type tissue_type tumor_descriptor'.split(' ')
  const samples = table([
    ['type', 'submitter_id', 'cases.submitter_id', ...kinds],
    ...numbered.map((n) => {
      return ['sample', `S-${n}`, `C-${n}`, 'Frozen', 'Solid Tissue', 'Tumor', 'Primary']
    }),
  ])
  expect(await submit('', samples, 'text/tsv')).toMatchObject({
    created_entity_count: CASES,
    cases_related_to_created_entities_count: CASES,
  })
  const readGroup = {
    type: 'read_group',
    experiment_name: 'one',
    sequencing_center: 'here',
    platform: 'Illumina',
    library_selection: 'PCR',
    library_strategy: 'RNA-Seq',
    library_name: 'l',
    is_paired_end: true,
    read_length: 100,
    read_group_name: 'g',
    target_capture_kit: 'Not Applicable',
  }
  const { entities } = await submit('', [
    { type: 'aliquot', submitter_id: 'A-007', samples: { submitter_id: 'S-007' } },
    { ...readGroup, submitter_id: 'G-007', aliquots: { submitter_id: 'A-007' } },
    {
      type: 'submitted_aligned_reads',
      submitter_id: 'reads',
      ...COMMON,
      data_category: 'Sequencing Reads',
      data_type: 'Aligned Reads',
      data_format: 'BAM',
      ...(await fileFacts('reads.bam')),
      read_groups: { submitter_id: 'G-007' },
    },
    {
      type: 'submitted_genomic_profile',
      submitter_id: 'counts',
      ...COMMON,
      data_category: 'Genomic Profiling',
      data_type: 'GENIE Report',
      data_format: 'TSV',
      ...(await fileFacts('counts.tsv')),
      read_groups: { submitter_id: 'G-007' },
    },
  ])
  const idOf = (type: string) =>
    entities.find((one: { readonly type: string }) => one.type === type).id
  const files = (...words: readonly string[]) => casemill('project', 'files', 'lab/one', ...words)
  expect(await files()).toBe('file_state\tfiles\nregistered\t2')
  await upload(idOf('submitted_aligned_reads'), 'reads.bam')
  await upload(idOf('submitted_genomic_profile'), 'counts.tsv')
  expect(await files('--wait')).toBe('file_state\tfiles\nvalidated\t2')
  for (const type of ['submitted_aligned_reads', 'submitted_genomic_profile']) {
    const { entities } = await done(`${PROJECT}/entities/${idOf(type)}`, { token: provider })
    expect(entities[0].properties).toMatchObject({ file_state: 'validated' })
  }
})

test('the project is reviewed, submitted and released, and the server follows', async () => {
  const act = (action: string) => submit(`/${action}`, '')
  await act('review')
  expect(await act('submit')).toMatchObject({ submitted_entity_count: 2 * CASES + 4 })
  await act('release')
  expect((await ask('/cases')).status).toBe(503)
  const report = JSON.parse(await casemill('release', '--json'))
  expect(report).toMatchObject({
    problemCount: 0,
    expression: { cases: 1, genes: GENES.length },
    projects: [{ projectId: 'LAB-ONE', cases: CASES, files: 2 }],
  })
  await expect.poll(async () => (await ask('/cases')).status).toBe(200)
})

const filters = (field: string, value: string) =>
  `filters=${encodeURIComponent(JSON.stringify({ op: '=', content: { field, value } }))}`

test('all of it is found by search', async () => {
  const brains = await done(`/cases?${filters('primary_site', 'Brain')}&facets=primary_site&size=1`)
  expect(brains.data.pagination.total).toBe(CASES / 4)
  expect(brains.data.aggregations.primary_site.buckets).toEqual([
    { key: 'breast', doc_count: CASES - CASES / 4 },
    { key: 'brain', doc_count: CASES / 4 },
  ])
  const found = await done(
    `/cases?${filters('samples.portions.analytes.aliquots.submitter_id', 'A-007')}` +
      '&expand=project,samples,files',
  )
  expect(found.data.hits).toMatchObject([
    {
      submitter_id: 'C-007',
      state: 'released',
      project: { project_id: 'LAB-ONE' },
      samples: [{ submitter_id: 'S-007', tissue_type: 'Tumor' }],
      files: expect.arrayContaining([expect.objectContaining({ file_name: 'reads.bam' })]),
    },
  ])
  const files = await done(`/files?${filters('cases.submitter_id', 'C-007')}&sort=file_name`)
  expect(files.data.hits).toMatchObject([
    { ...(await fileFacts('counts.tsv')), data_format: 'TSV', access: 'open', version: '1' },
    { ...(await fileFacts('reads.bam')), data_format: 'BAM', access: 'open', version: '1' },
  ])
  const project = await done('/projects/LAB-ONE?expand=summary,program')
  expect(project.data).toMatchObject({
    project_id: 'LAB-ONE',
    name: 'First',
    program: { name: 'LAB' },
    summary: { case_count: CASES, file_count: 2 },
  })
})

const idByName = async (name: string): Promise<string> =>
  (await done(`/files?${filters('file_name', name)}`)).data.hits[0].file_id

test('files are downloaded as they were uploaded', async () => {
  for (const name of ['reads.bam', 'counts.tsv']) {
    const { status, bytes } = await ask(`/data/${await idByName(name)}`)
    expect(status).toBe(200)
    expect(bytes.equals(await readFile(join(folder, name)))).toBe(true)
  }
})

test.skipIf(!available.samtools)('slices have the records that samtools finds', async () => {
  const path = join(folder, 'reads.bam')
  await samtools('index', path)
  const id = await idByName('reads.bam')
  for (const region of ['chr1:1-30000000', 'chr17', 'unmapped']) {
    const { status, bytes } = await ask(`/slicing/view/${id}?region=${region}`)
    expect(status).toBe(206)
    const slice = join(folder, 'slice.bam')
    await writeFile(slice, bytes)
    // samtools view -M reads.bam REGION
    const wanted = region === 'unmapped' ? ['view', path, '*'] : ['view', '-M', path, region]
    expect((await samtools('view', slice)).equals(await samtools(...wanted))).toBe(true)
  }
})

test('the table of expression is among those of all cases', async () => {
  const caseId = (await done(`/cases?${filters('submitter_id', 'C-007')}`)).data.hits[0].case_id
  const body = JSON.stringify({
    case_ids: [caseId],
    gene_ids: GENES.map(([id]) => id.split('.')[0]),
    tsv_units: 'uqfpkm',
  })
  const { status, bytes } = await ask('/gene_expression/values', {
    method: 'POST',
    type: 'application/json',
    body,
  })
  expect(status).toBe(200)
  expect(bytes.toString()).toBe(
    table([
      ['gene_id', caseId],
      ['ENSG00000012048', '0.5'],
      ['ENSG00000141510', '12.3456'],
    ]),
  )
})

test('released again there is nothing new, and the project takes the next batch', async () => {
  expect(await casemill('release')).toEqual(
    expect.stringMatching(/^there is nothing to release: no project is marked/),
  )
  const next = { type: 'case', submitter_id: 'C-200', projects: { code: 'ONE' } }
  expect(
    await submit('', { ...next, disease_type: 'Gliomas', primary_site: 'Brain' }),
  ).toMatchObject({ created_entity_count: 1 })
})
