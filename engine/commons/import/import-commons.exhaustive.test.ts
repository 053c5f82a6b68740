import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { GeneRow } from '../../shared/catalogue/genes.ts'
import { nameUuid } from '../../shared/catalogue/uuid.ts'
import { inlineExecutor } from '../../shared/executor.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { DocumentReader } from '../release/documents.ts'
import { VERSIONS_NAME } from '../release/layout.ts'
import { Release } from '../release/release.ts'
import { Releases } from '../release/releases.ts'
import { openWorkFolder } from '../release/work-folder.ts'
import { type ImportCommons, importCommons } from './import-commons.ts'
import { formatReport } from './report.ts'

let folder = ''
let dataFolder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-commons-'))
  dataFolder = join(folder, 'data')
})
afterEach(() => rm(folder, { recursive: true }))

async function give(name: string, content: unknown): Promise<string> {
  const path = join(folder, name)
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

let minutes = 0
const run = (sources: readonly string[], options: Partial<ImportCommons> = {}) =>
  importCommons({
    sources,
    dataFolder,
    executor: inlineExecutor,
    clock: () => new Date(Date.UTC(2025, 0, 2, 3, minutes++)),
    ...options,
  })

async function current(dataset: DatasetName): Promise<JsonObject[]> {
  const releases = new Releases(dataFolder)
  const release = await Release.open(releases.folder((await releases.current()) ?? ''))
  try {
    const documents = await release.documents(dataset)
    const rows = Uint32Array.from({ length: documents.rows }, (_, row) => row)
    return new DocumentReader(documents).read(rows).map((text) => JSON.parse(text))
  } finally {
    await release.close()
  }
}

async function readManifestFiles(releaseId: string): Promise<object> {
  const path = join(new Releases(dataFolder).folder(releaseId), 'manifest.json')
  return JSON.parse(await readFile(path, 'utf8')).files
}

/** MD5 values of two files. */
const [M0, M1] = ['0'.repeat(32), '1'.repeat(32)] as const
const UUID = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

const FILE = {
  file_id: 'f1',
  file_name: 'a.txt',
  file_size: 5,
  data_category: 'Clinical',
  access: 'open',
  cases: [{ case_id: 'c1', project: { project_id: 'P-1' } }],
}

describe('a release', () => {
  test('is built, numbered, switched to and reported', async () => {
    const path = await give('files.json', [FILE])
    const report = await run([path])
    expect(report).toMatchObject({
      dataRelease: 'Data Release 1.0',
      sources: [{ source: path, kind: 'JSON', rows: 1, records: { files: 1 }, badRows: 0 }],
      datasets: { files: { records: 1, dangling: 0 }, cases: { records: 1, dangling: 1 } },
      badRows: [],
    })
    const releases = new Releases(dataFolder)
    expect(await releases.current()).toBe(report.releaseId)
    expect(await releases.list()).toMatchObject([
      {
        dataRelease: 'Data Release 1.0',
        version: { major: 1, minor: 0, releaseDate: '2025-01-02' },
      },
    ])
    expect(await current('files')).toMatchObject([{ file_id: 'f1', data_release: '1.0' }])
    expect(Object.keys(report.datasets).sort()).toEqual([...DATASET_NAMES].sort())
  })

  test('takes over the one before, unless it replaces it', async () => {
    await run([await give('one.json', [FILE])])
    const two = await give('two.json', [
      { file_id: 'f2', cases: [{ case_id: 'c1', samples: [{ sample_id: 's' }] }], file_size: 7 },
      { file_id: 'f1', file_size: 6 },
    ])
    expect(await run([two])).toMatchObject({ dataRelease: 'Data Release 2.0' })
    expect(await current('files')).toMatchObject([
      { ...FILE, file_size: 6, cases: [{ case_id: 'c1' }], data_release: '1.0 - 2.0' },
      { file_id: 'f2', data_release: '2.0' },
    ])
    expect(await current('cases')).toMatchObject([
      {
        project: { project_id: 'P-1' },
        sample_ids: ['s'],
        summary: { file_count: 2, file_size: 13 },
      },
    ])
    expect(await current('projects')).toMatchObject([{ summary: { file_count: 2, file_size: 13 } }])

    expect(await run([two], { replace: true, release: '40.1' })).toMatchObject({
      dataRelease: 'Data Release 40.1',
    })
    expect(await current('files')).toMatchObject([
      { file_id: 'f1', file_size: 6, data_release: '40.1' },
      { file_id: 'f2' },
    ])
    expect(await current('projects')).toEqual([])
    expect(await run([two])).toMatchObject({ dataRelease: 'Data Release 41.0' })
  })

  test('imported again with the same sources is the same but for its number', async () => {
    const sources = [
      await give('files.json', [
        FILE,
        { file_name: 'b.bam', file_size: 3, cases: [{ submitter_id: 'N' }] },
      ]),
      await give('cases.json', [
        {
          case_id: 'c1',
          demographic: { race: 'x' },
          diagnoses: [{ morphology: 'm' }],
          primary_site: 'S',
        },
      ]),
    ]
    await run(sources)
    const before = await Promise.all(DATASET_NAMES.map(current))
    const report = await run(sources)
    const after = await Promise.all(DATASET_NAMES.map(current))
    const plain = (records: JsonObject[][]) =>
      records.map((each) => each.map(({ data_release, ...rest }) => rest))
    expect(plain(after)).toEqual(plain(before))
    expect(report.datasets.cases).toMatchObject({ dangling: 1, conflicts: [] })
  })

  test('gives up ids that were made when a source brings the true ones', async () => {
    await run([
      await give('nameless.json', [
        { file_name: 'b.bam', file_size: 3, cases: [{ submitter_id: 'N' }] },
      ]),
      await give('case.json', [{ case_id: 'c1', diagnoses: [{ morphology: 'm' }] }]),
    ])
    expect(await current('files')).toMatchObject([{ file_id: nameUuid('files', 'b.bam', '3') }])
    await run([
      await give('m.tsv', `id\tfilename\tmd5\tsize\n${UUID(9)}\tb.bam\t\t3\n`),
      await give('cases.json', [
        { case_id: 'c9', submitter_id: 'N' },
        { case_id: 'c1', diagnoses: [{ diagnosis_id: 'd1', tumor_grade: 'G1' }] },
      ]),
    ])
    expect(await current('files')).toMatchObject([{ file_id: UUID(9), cases: [{ case_id: 'c9' }] }])
    expect(await current('cases')).toMatchObject([
      { case_id: 'c1', diagnoses: [{ diagnosis_id: 'd1', morphology: 'm', tumor_grade: 'G1' }] },
      { case_id: 'c9' },
    ])
  })

  test('keeps history and knows what it made itself', async () => {
    const manifest = [
      'id\tfilename\tmd5\tsize\tproject_id\tcase_ids\tnew_id\tnew_md5\tnew_size',
      `${UUID(0)}\ta.tsv\t${M0}\t1\tP-1\t${UUID(1)}\t${UUID(2)}\t${M1}\t2`,
    ].join('\n')
    const site = (id: string, primary_site: string) => ({
      case_id: id,
      primary_site,
      project: { project_id: 'P-1' },
    })
    const report = await run([
      await give('GCv36.tsv', manifest),
      await give('one.json', [site(UUID(1), 'Brain')]),
    ])
    const listed = await readManifestFiles(report.releaseId ?? '')
    expect(listed).toHaveProperty([VERSIONS_NAME])
    const next = await run([
      await give('m.tsv', `id\tfilename\tmd5\tsize\n${UUID(0)}\ta.tsv\t${M0}\t1\n`),
      await give('two.json', [site(UUID(3), 'Lung')]),
    ])
    expect(next.versionSteps).toBe(1)
    expect(await current('files')).toMatchObject([{ file_id: UUID(2), version: '2' }])
    expect(await current('projects')).toMatchObject([{ primary_site: ['Brain', 'Lung'] }])
    const path = join(new Releases(dataFolder).folder(next.releaseId ?? ''), VERSIONS_NAME)
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      id: UUID(0),
      filename: 'a.tsv',
      md5: M0,
      size: 1,
      version: '1',
      release: '32.0',
      next: { id: UUID(2), filename: 'a.tsv', md5: M1, size: 2 },
    })
  })

  test('with genes tells them, for slicing', async () => {
    const told: GeneRow[] = []
    const onGenes = (genes: readonly GeneRow[]) => void told.push(...genes)
    const table = 'gene_id\tsymbol\tchromosome\tstart\tend\tstrand\nG1\tTP53\tchr17\t7\t9\t-1\n'
    await run([await give('genes.tsv', table)], { onGenes })
    const gene = { geneId: 'G1', symbol: 'TP53', chromosome: '17', start: 7, end: 9, strand: -1 }
    expect(told).toMatchObject([gene])
    await run([await give('files.json', [FILE])], { onGenes })
    expect(told).toHaveLength(1)
    expect(await current('genes')).toHaveLength(1)
  })
})

describe('nothing changes', () => {
  const isClean = () =>
    readdirSync(join(dataFolder, 'incoming')).every((name) => !/^commons$/.test(name))

  test('in a dry run, which reports the same', async () => {
    const path = await give('files.json', [FILE])
    const dry = await run([path], { dryRun: true })
    expect(existsSync(join(dataFolder, 'releases'))).toBe(false)
    const { releaseId, ...real } = await run([path])
    expect(releaseId).toBeDefined()
    expect(dry).toEqual(real)
    expect(isClean()).toBe(true)
  })

  test('when a source is damaged, has too many bad rows or nothing to take', async () => {
    await run([await give('files.json', [FILE])])
    const before = await new Releases(dataFolder).current()
    const good = await give('good.json', [{ file_id: 'f2' }])
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ['cut.json', '[{"file_id":"f3"},{"file', /ends inside a value/],
      ['bad.json', '[{"file_id":"f3"},1,2]', /^more than 1 rows cannot be taken/],
    ]
    for (const [name, content, message] of cases) {
      const error = await run([good, await give(name, content)], { maxErrors: 1 }).catch((e) => e)
      expect(error).toMatchObject({ code: 'bad_input', message: expect.stringMatching(message) })
    }
    const other = await give('other/readme.md', '# nothing')
    await expect(run([other])).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(/^nothing can be taken from ".+readme\.md": it is neither/),
    })
    await expect(run([join(folder, 'none')])).rejects.toMatchObject({ code: 'not_found' })
    expect(await new Releases(dataFolder).current()).toBe(before)
    expect(isClean()).toBe(true)
    // Beside a source that can be imported, it is only reported.
    const report = await run([good, other])
    expect(report.sources).toMatchObject([{ rows: 1 }, { notTaken: expect.any(String) }])
    expect(formatReport(report)).toContain('readme.md: not taken: it is neither JSON nor a table')
  })

  test('when it is aborted, at any of its steps', async () => {
    const path = await give(
      'files.json',
      Array.from({ length: 5000 }, (_, i) => ({ file_id: `f${i}` })),
    )
    for (const phase of ['reading', 'merging', 'building']) {
      const stop = new AbortController()
      const onProgress = (step: { phase: string }) => {
        if (step.phase === phase) stop.abort()
      }
      await expect(run([path], { signal: stop.signal, onProgress })).rejects.toThrow('aborted')
      expect(await new Releases(dataFolder).current()).toBeUndefined()
      expect(isClean()).toBe(true)
    }
  })

  test('while another import runs; what a killed one left is removed', async () => {
    const path = await give('files.json', [FILE])
    const work = await openWorkFolder(dataFolder)
    await expect(run([path])).rejects.toMatchObject({ code: 'conflict' })
    await work.remove()
    await mkdir(join(dataFolder, 'incoming/commons'), { recursive: true })
    await writeFile(join(dataFolder, 'incoming/commons/staging.duckdb'), 'rubbish')
    await run([path])
    expect(isClean()).toBe(true)
  })
})

test('a folder is read with all that is below it, in the order of names', async () => {
  await give('all/b/cases.json', [{ case_id: 'c1', disease_type: 'B' }])
  await give('all/a.json', [{ case_id: 'c1', disease_type: 'A' }])
  await give('all/.hidden.json', '[')
  const report = await run([join(folder, 'all')])
  expect(report.sources.map(({ source }) => source)).toEqual([
    join(folder, 'all/a.json'),
    join(folder, 'all/b/cases.json'),
  ])
  expect(await current('cases')).toMatchObject([{ disease_type: 'B' }])
})

test('equal sources give a release that is equal to the byte', async () => {
  const path = await give('files.json', [FILE])
  const clock = () => new Date(0)
  const texts: string[] = []
  for (const name of ['one', 'other']) {
    dataFolder = join(folder, name)
    const { releaseId } = await run([path], { clock })
    texts.push(JSON.stringify(await readManifestFiles(releaseId ?? '')))
  }
  expect(texts[0]).toBe(texts[1])
})

test.each(['x', '1.x', '-1', '1.2.3'])('release %s is no number', async (release) => {
  const path = await give('files.json', [FILE])
  await expect(run([path], { release })).rejects.toMatchObject({ code: 'bad_input', at: 'release' })
})
