import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RELEASE_GUARDS } from '../../../engine/commons/files/records/guard-sources.ts'
import { Versions } from '../../../engine/commons/files/versions/versions.ts'
import { importCommons } from '../../../engine/commons/import/import-commons.ts'
import type { ReleaseManifest } from '../../../engine/commons/release/layout.ts'
import { MANIFEST_NAME, manifestText } from '../../../engine/commons/release/manifest.ts'
import { verifyRelease } from '../../../engine/commons/release/verify.ts'
import { CurrentRelease } from '../../../engine/commons/search/current-release.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import type { App } from '../../../server/http/compose.ts'
import { available } from '../../available.ts'
import { appOf } from '../search/support/app.ts'

// Tests data-commons-service.md 2.2 and 4.2, and data-commons.md 4.1, 11.1 and 11.16, over an imported release.

type Json = Record<string, unknown>

const VECTORS = publicData('contract/examples')
const vector = (file: string): Json[] => JSON.parse(readFileSync(join(VECTORS, file), 'utf8'))

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'casemill-versions-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

interface Source {
  readonly release: string
  /** The day of the import. */
  readonly date?: string
  readonly files?: readonly Json[]
  /** Replaced files, as `[old id, new id]`. */
  readonly swaps?: readonly (readonly [string, string])[]
}

/** Imports the sources one after the other, each into a new release. */
async function imported(name: string, sources: readonly Source[]): Promise<string> {
  const dataFolder = join(root, name)
  await mkdir(dataFolder)
  for (const { release, date = '2025-03-01', files = [], swaps = [] } of sources) {
    const source = join(root, `${name} ${release}`)
    await mkdir(source)
    await writeFile(join(source, 'files.json'), JSON.stringify(files))
    const rows = [['Old File UUID', 'New File UUID'], ...swaps].map((row) => row.join('\t'))
    await writeFile(join(source, `DR${release}_swap.tsv`), `${rows.join('\n')}\n`)
    await importCommons({
      sources: [source],
      dataFolder,
      release,
      executor: inlineExecutor,
      clock: () => new Date(`${date}T10:00:00Z`),
    })
  }
  return dataFolder
}

/** Adds a release to the data folder that is known and not served. */
async function knowRelease(dataFolder: string, number: string, releaseDate: string) {
  const [major = 0, minor = 0] = number.split('.').map(Number)
  const manifest = {
    format: 1,
    id: `known-${number}`,
    dataRelease: `Data Release ${number}`,
    version: { major, minor, releaseDate },
    createdAt: `${releaseDate}T00:00:00.000Z`,
    datasets: {},
    files: {},
  } as unknown as ReleaseManifest
  const folder = join(dataFolder, 'releases', manifest.id)
  await mkdir(folder)
  await writeFile(join(folder, MANIFEST_NAME), manifestText(manifest))
}

async function serving(dataFolder: string, use: (app: App, engine: Engine) => Promise<void>) {
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  try {
    await engine.start()
    await use(appOf(engine), engine)
  } finally {
    await engine.close()
  }
}

const uuid = (n: number) => `${String(n).padStart(8, '0')}-000a-4000-8000-00000000cafe`
const [A, B, C, ALONE, GONE, AFTER, UNKNOWN] = [1, 2, 3, 4, 5, 6, 9].map(uuid) as [
  ...[string, string, string, string, string, string, string],
]
const file = (id: string, n: number, more: Json = {}) => ({
  file_id: id,
  file_name: `${n}.bam`,
  md5sum: String(n).repeat(32),
  file_size: n * 100,
  access: 'controlled',
  state: 'released',
  ...more,
})

/** Versions a, then b, then c; an unchanged file; and a file whose successor is known by name only. */
const CHAIN: readonly Source[] = [
  {
    release: '1.0',
    date: '2001-03-29',
    files: [file(A, 1, { state: 'validated' }), file(ALONE, 4)],
  },
  { release: '2.0', date: '2002-06-05', files: [file(B, 2)], swaps: [[A, B]] },
  {
    release: '2.5',
    date: '2002-12-24',
    files: [file(C, 3)],
    swaps: [
      [B, C],
      [GONE, AFTER],
    ],
  },
]

const told = (id: string, n: number, version: string, release: string, state = 'released') => ({
  id,
  filename: `${n}.bam`,
  version,
  md5: String(n).repeat(32),
  size: n * 100,
  state,
  release,
})
const latest = (id: string, n: number, version: string, releases: readonly string[]) => ({
  latest_id: id,
  latest_filename: `${n}.bam`,
  latest_version: version,
  latest_md5: String(n).repeat(32),
  latest_size: n * 100,
  latest_state: 'released',
  latest_release: releases,
})
const NOTHING = { filename: null, md5: null, size: null }

const RECORDS: Readonly<Record<string, Json>> = {
  [A]: { ...told(A, 1, '1', '1.0', 'validated'), ...latest(C, 3, '3', ['2.5']) },
  [B]: { ...told(B, 2, '2', '2.0'), ...latest(C, 3, '3', ['2.5']) },
  [C]: { ...told(C, 3, '3', '2.5'), ...latest(C, 3, '3', ['2.5']) },
  [ALONE]: { ...told(ALONE, 4, '1', '1.0'), ...latest(ALONE, 4, '1', ['1.0', '2.0', '2.5']) },
  [GONE]: {
    id: GONE,
    version: '1',
    state: 'released',
    release: null,
    ...NOTHING,
    latest_id: AFTER,
    latest_filename: null,
    latest_version: '2',
    latest_md5: null,
    latest_size: null,
    latest_state: 'released',
    latest_release: ['2.5'],
  },
}

const HISTORY = [
  [A, '1', 'superseded', '2001-03-29', '1.0'],
  [B, '2', 'superseded', '2002-06-05', '2.0'],
  [C, '3', 'released', '2002-12-24', '2.5'],
].map(([id, version, file_change, release_date, data_release]) => {
  return { uuid: id, version, file_change, release_date, data_release }
})

describe('versions', () => {
  let dataFolder = ''
  let engine: Engine
  let app: App
  beforeAll(async () => {
    dataFolder = await imported('chain', CHAIN)
    engine = await openEngine({ dataFolder, executor: inlineExecutor })
    await engine.start()
    app = appOf(engine)
  })
  afterAll(() => engine.close())

  const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers })
  const post = (path: string, body: string, type?: string) =>
    app.request(path, {
      method: 'POST',
      body: Buffer.from(body),
      headers: type === undefined ? {} : { 'Content-Type': type },
    })
  const listed = (ids: unknown) =>
    post('/files/versions', JSON.stringify({ ids }), 'application/json')

  async function ok(response: Response | Promise<Response>) {
    const answer = await response
    const text = await answer.text()
    expect(answer.status, text).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    return JSON.parse(text)
  }

  async function refused(response: Response | Promise<Response>) {
    const answer = await response
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(text).toMatch(/^\{"error":"/)
    const { error, message } = JSON.parse(text)
    expect(error).toBe(message)
    return [answer.status, message]
  }

  test('the release lists its history with an index, and both are sound', async () => {
    const folder = engine.commons.releases.folder((await engine.commons.releases.current()) ?? '')
    expect(await readdir(folder)).toEqual(
      expect.arrayContaining(['versions.arrays', 'versions.ndjson']),
    )
    const issues: unknown[] = []
    for await (const issue of verifyRelease(folder)) issues.push(issue)
    expect(issues).toEqual([])
  })

  test.each([A, B, C, C.toUpperCase()])(
    'the history of a chain is the same whichever version is asked: %s',
    async (id) => {
      expect(await ok(get(`/history/${id}`))).toEqual(HISTORY)
      expect(await ok(get(`//v0//history/${id}/`))).toEqual(HISTORY)
    },
  )

  test('a file that was never replaced has itself as its history', async () => {
    expect(await ok(get(`/history/${ALONE}`))).toEqual([
      ...[{ uuid: ALONE, version: '1', file_change: 'released' }].map((record) => {
        return { ...record, release_date: '2001-03-29', data_release: '1.0' }
      }),
    ])
  })

  test('a successor that nothing else is known of is reported', async () => {
    const history = [
      { uuid: GONE, version: '1', file_change: 'superseded', release_date: null },
      { uuid: AFTER, version: '2', file_change: 'released', release_date: '2002-12-24' },
    ]
    const releases = [null, '2.5']
    const expected = history.map((record, i) => ({ ...record, data_release: releases[i] }))
    expect(await ok(get(`/history/${GONE}`))).toEqual(expected)
    expect(await ok(get(`/history/${AFTER}`))).toEqual(expected)
  })

  test('an unknown file has no history', async () => {
    expect(await refused(get(`/history/${UNKNOWN}`))).toEqual([
      ...[404, `there is no file with the id "${UNKNOWN}"`],
    ])
    expect(await refused(get('/history'))).toEqual([
      404,
      'there is nothing at this path; did you mean /history/{file_id}?',
    ])
    expect((await app.request(`/history/${A}`, { method: 'POST' })).status).toBe(405)
  })

  test('a replaced file is no record of its own', async () => {
    expect((await get(`/files/${A}`)).status).toBe(404)
    expect((await get(`/files/${C}`)).status).toBe(200)
  })

  test('versions come in the order of the request, with exactly their members', async () => {
    const asked = [GONE, C, A, ALONE, B]
    const expected = asked.map((id) => RECORDS[id])
    expect(await ok(get(`/files/versions/${asked.join(',')}`))).toEqual(expected)
    const records = await ok(listed(asked))
    expect(records).toEqual(expected)
    expect(Object.keys(records[0])).toEqual([
      ...['id', 'filename', 'version', 'md5', 'size', 'state', 'release', 'latest_id'],
      ...['latest_filename', 'latest_version', 'latest_md5', 'latest_size', 'latest_state'],
      'latest_release',
    ])
  })

  test('ids may come in every form', async () => {
    const expected = [RECORDS[A], RECORDS[B]]
    const form = 'application/x-www-form-urlencoded'
    for (const path of ['/files/versions', '//files/versions', '/v0/files/versions/']) {
      expect(await ok(post(path, JSON.stringify({ ids: [A, B] }), 'application/json'))).toEqual(
        expected,
      )
    }
    expect(await ok(listed([[A], [[B, UNKNOWN]], A]))).toEqual(expected)
    expect(await ok(post('/files/versions', `ids=${A}&ids=${B}`, form))).toEqual(expected)
    expect(await ok(post('/files/versions', `ids=${A}%2C${B}`, form))).toEqual(expected)
    // curl labels JSON as a form, and some clients send no label.
    expect(await ok(post('/files/versions', `{"ids":["${A}","${B}"]}`, form))).toEqual(expected)
    expect(await ok(post('/files/versions', `{"ids":["${A}","${B}"]}`))).toEqual(expected)
    expect(await ok(get(`/files/versions?ids=${A},${B}`))).toEqual(expected)
    expect(await ok(get(`/v0/files/versions/${A}, ${B},`))).toEqual(expected)
    expect(await ok(get(`/files/versions/${A}%2C${B}`))).toEqual(expected)
  })

  const manifest = `id\tfilename\tmd5\tsize\tstate\n${B}\tx\ty\t1\treleased\n${UNKNOWN}\t\t\t\t\n${A}\n\n`

  test.each(['text/tsv', 'text/tab-separated-values', 'text/plain; charset=utf-8', undefined])(
    'a manifest is taken as %s',
    async (type) => {
      expect(await ok(post('/files/versions/manifest', manifest, type))).toEqual([
        ...[RECORDS[B], RECORDS[A]],
      ])
    },
  )

  test('a manifest is taken as curl labels it and with other ends of lines', async () => {
    const form = 'application/x-www-form-urlencoded'
    const crlf = manifest.replaceAll('\n', '\r\n')
    for (const type of [form, 'application/octet-stream', 'application/json']) {
      const answer = post('/files/versions/manifest?pretty=true', crlf, type)
      expect(await ok(answer)).toEqual([RECORDS[B], RECORDS[A]])
    }
  })

  test('a table has id first and the rest ascending', async () => {
    const path = `/files/versions/${ALONE},${GONE}?format=TSV`
    const answers = [
      get(path),
      post('/files/versions', JSON.stringify({ ids: [ALONE, GONE], format: 'tsv' })),
      post('/files/versions/manifest?format=tsv', `id\n${ALONE}\n${GONE}\n`, 'text/tsv'),
      get(path.replace('?format=TSV', ''), { Accept: 'text/tab-separated-values' }),
    ]
    const scalars = Object.keys(RECORDS[A] ?? {}).filter((name) => !/^id$|latest_rel/.test(name))
    const columns = [
      'id',
      ...[...scalars, 'latest_release.0', 'latest_release.1', 'latest_release.2'].sort(),
    ]
    const rowOf = (id: string) =>
      columns.map((column) => {
        const [name = '', place] = column.split('.')
        const value = RECORDS[id]?.[name]
        return String((place === undefined ? value : (value as string[])[Number(place)]) ?? '')
      })
    const expected = [columns, rowOf(ALONE), rowOf(GONE)].map((row) => `${row.join('\t')}\n`)
    for (const response of await Promise.all(answers)) {
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/tab-separated-values')
      expect(await response.text()).toBe(expected.join(''))
    }
    const comma = await get(`/files/versions/${ALONE},${GONE}`, { Accept: 'text/csv' })
    expect(comma.headers.get('content-type')).toBe('text/csv')
    expect(parse(await comma.text())).toEqual([columns, rowOf(ALONE), rowOf(GONE)])
    const separated = await get(`/history/${A}?format=csv`)
    expect(parse(await separated.text())).toHaveLength(1 + HISTORY.length)
    const history = await get(`/history/${A}?format=tsv`)
    expect((await history.text()).split('\n')).toEqual([
      'data_release\tfile_change\trelease_date\tuuid\tversion',
      ...HISTORY.map((record) =>
        [
          record.data_release,
          record.file_change,
          record.release_date,
          record.uuid,
          record.version,
        ].join('\t'),
      ),
      '',
    ])
  })

  test('pretty text is indented by two', async () => {
    const expected = `${JSON.stringify([RECORDS[A], RECORDS[B]], null, 2)}`
    expect(await (await get(`/files/versions/${A},${B}?pretty=true`)).text()).toBe(expected)
    const body = JSON.stringify({ ids: [A, B], pretty: 'TRUE' })
    expect(await (await post('/files/versions', body)).text()).toBe(expected)
    expect(await (await get(`/history/${A}?pretty=true`)).text()).toBe(
      JSON.stringify(HISTORY, null, 2),
    )
  })

  test.each([
    ['', 400, 'no ids are given; name at least one file'],
    ['{}', 400, 'no ids are given; name at least one file'],
    ['{"ids":null}', 400, 'no ids are given; name at least one file'],
    ['{"ids":[]}', 400, 'no ids are given; name at least one file'],
    [`{"ids":"${A}"}`, 400, 'ids is no list; give an array of file ids'],
    ['{"ids":{"a":1}}', 400, 'ids is no list; give an array of file ids'],
    [`{"ids":["${A}","${A}","${A}",3]}`, 400, 'ids[3] is no text; give the id of a file'],
    ['{"ids":["a"', 400, 'the body is not valid JSON at line 1, column 12'],
    ['["a"]', 400, 'the body is JSON but not an object of parameters'],
    [`{"ids":["${UNKNOWN}","nothing"]}`, 404, 'there is no file with any of the ids'],
    [
      `{"ids":["${A}"],"format":"xml"}`,
      400,
      'format xml is not served at this path; use json, tsv or csv',
    ],
    [`{"ids":["${A}"],"format":"odd"}`, 400, expect.stringMatching(/^parameter format/)],
  ])('POST /files/versions with %j is answered with %d', async (body, status, message) => {
    expect(await refused(post('/files/versions', body, 'application/json'))).toEqual([
      ...[status, message],
    ])
  })

  test.each([
    ['', 400, 'the body is empty; send a download manifest'],
    ['filename\na\n', 400, expect.stringMatching(/no column "id"/)],
    ['id\n', 400, expect.stringMatching(/no line below its header/)],
    [`id\n${UNKNOWN}\n`, 404, 'there is no file with any of the ids'],
    ['id\n\xff\n', 404, 'there is no file with any of the ids'],
  ])('POST /files/versions/manifest with %j is answered with %d', async (body, status, message) => {
    expect(await refused(post('/files/versions/manifest', body, 'text/tsv'))).toEqual([
      ...[status, message],
    ])
  })

  test('a manifest that is no UTF-8 is refused', async () => {
    const body = Buffer.from([0x69, 0x64, 0x0a, 0xff, 0x0a])
    const answer = app.request('/files/versions/manifest', { method: 'POST', body })
    expect(await refused(answer)).toEqual([
      400,
      'the body is not taken: it is not UTF-8; save it as UTF-8',
    ])
  })

  test('paths without ids, and methods that are not served, are reported as JSON', async () => {
    expect(await refused(get('/files/versions'))).toEqual([
      ...[400, 'no ids are given; name at least one file'],
    ])
    expect(await refused(get('/files/versions/,'))).toEqual([
      ...[400, 'no ids are given; name at least one file'],
    ])
    expect(await refused(get(`/files/versions/${UNKNOWN}`))).toEqual([
      ...[404, 'there is no file with any of the ids'],
    ])
    const methods: [string, string, string][] = [
      ['PUT', '/files/versions', 'GET, HEAD, OPTIONS, POST'],
      ['GET', '/files/versions/manifest', 'OPTIONS, POST'],
      ['POST', `/files/versions/${A}`, 'GET, HEAD, OPTIONS'],
      ['DELETE', `/history/${A}`, 'GET, HEAD, OPTIONS'],
    ]
    for (const [method, path, allow] of methods) {
      const answer = await app.request(path, { method })
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, allow])
    }
  })

  test('versions of controlled files need no token, and a bad one does no harm', async () => {
    const token = { 'X-Auth-Token': 'bad' }
    expect(await ok(get(`/files/versions/${A}`, token))).toEqual([RECORDS[A]])
    expect(await ok(get(`/history/${A}`, token))).toEqual(HISTORY)
  })

  test('who holds an answer is told that it is the same', async () => {
    for (const path of [`/history/${A}`, `/files/versions/${A}`, `/files/versions?ids=${A}`]) {
      const first = await get(path)
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[\w-]{22}"$/)
      const again = await get(path, { 'If-None-Match': etag })
      expect([again.status, await again.text()]).toEqual([304, ''])
      for (const other of [
        `${path.replace(A, B)}`,
        path.includes('?') ? `${path}&pretty=true` : `${path}?pretty=true`,
      ]) {
        expect((await get(other, { 'If-None-Match': etag })).status).toBe(200)
      }
    }
    expect((await listed([A])).headers.has('etag')).toBe(false)
  })

  test('HEAD sends the same headers alone', async () => {
    const full = await get(`/history/${A}`)
    const head = await app.request(`/history/${A}`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('etag')).toBe(full.headers.get('etag'))
  })

  test('more ids than fit one piece come in their order, JSON and table alike', async () => {
    const odd = Array.from({ length: 3000 }, (_, i) => uuid(1000 + i))
    const asked = [...odd.slice(0, 700), C, ...odd.slice(700, 1500), A, ...odd.slice(1500), ALONE]
    expect(await ok(listed(asked))).toEqual([RECORDS[C], RECORDS[A], RECORDS[ALONE]])
    const body = JSON.stringify({ ids: asked, pretty: true })
    expect(await (await post('/files/versions', body)).text()).toBe(
      JSON.stringify([RECORDS[C], RECORDS[A], RECORDS[ALONE]], null, 2),
    )
    const table = await post('/files/versions', JSON.stringify({ ids: asked, format: 'tsv' }))
    const lines = (await table.text()).trimEnd().split('\n')
    expect(lines[0]).toMatch(/\tlatest_release.2\t/)
    expect(lines.slice(1).map((line) => line.split('\t')[0])).toEqual([C, A, ALONE])
    expect(await refused(listed(odd))).toEqual([404, 'there is no file with any of the ids'])
  })

  test('only ids with a newer version have a latest one', async () => {
    const { releases } = engine.commons
    const current = new CurrentRelease(releases, RELEASE_GUARDS, {
      onSwitch: () => {},
      onFailure: () => {},
    })
    await current.look()
    const versions = new Versions({ current, releases, executor: inlineExecutor })
    const found = await versions.latestOf([A, B.toUpperCase(), C, ALONE, GONE, UNKNOWN])
    expect(Object.fromEntries(found)).toEqual({ [A]: C, [B]: C, [GONE]: AFTER })
    await current.close()
  })

  test('the document describes them', async () => {
    const document = (await (await get('/openapi.json')).json()) as {
      paths: Record<string, Record<string, Json>>
    }
    const methodsOf = (path: string) => Object.keys(document.paths[path] ?? {}).sort()
    expect(methodsOf('/history/{file_id}')).toEqual(['get'])
    expect(methodsOf('/files/versions')).toEqual(['get', 'post'])
    expect(methodsOf('/files/versions/{file_ids}')).toEqual(['get'])
    expect(methodsOf('/files/versions/manifest')).toEqual(['post'])
    const { requestBody } = document.paths['/files/versions/manifest']?.post ?? {}
    expect(Object.keys((requestBody as { content: Json }).content)).toEqual([
      ...['text/tsv', 'text/tab-separated-values'],
    ])
  })
})

test('without a release every answer says so', async () => {
  await serving(join(root, 'empty'), async (app) => {
    for (const path of [`/history/${A}`, `/files/versions/${A}`]) {
      expect((await app.request(path)).status).toBe(503)
    }
  })
})

test('a release that knows of no replaced file tells its files', async () => {
  const dataFolder = await imported('plain', CHAIN.slice(0, 1))
  await serving(dataFolder, async (app) => {
    const [record] = (await (await app.request(`/files/versions/${ALONE}`)).json()) as Json[]
    expect(record).toMatchObject({ id: ALONE, latest_id: ALONE, latest_release: ['1.0'] })
    expect((await app.request(`/history/${B}`)).status).toBe(404)
  })
})

test('a release that was made before there was an index is served as well', async () => {
  const dataFolder = await imported('old', CHAIN)
  await serving(dataFolder, async (_, { commons: { releases } }) => {
    const folder = releases.folder((await releases.current()) ?? '')
    const path = join(folder, MANIFEST_NAME)
    const { crc32: _crc32, ...manifest } = JSON.parse(readFileSync(path, 'utf8'))
    delete manifest.files['versions.arrays']
    await writeFile(path, manifestText(manifest))
    await rm(join(folder, 'versions.arrays'))
  })
  await serving(dataFolder, async (app) => {
    expect(await (await app.request(`/history/${B}`)).json()).toEqual(HISTORY)
    expect(await (await app.request(`/files/versions/${A},${GONE}`)).json()).toEqual([
      ...[RECORDS[A], RECORDS[GONE]],
    ])
  })
})

describe.skipIf(!available.shared)('published answers', () => {
  /** Imports both versions of each record, into the releases that the answers name. */
  async function published(name: string, records: readonly Json[]): Promise<string> {
    const shown = (record: Json, prefix: '' | 'latest_') => ({
      file_id: record[`${prefix}id`],
      file_name: record[`${prefix}filename`],
      md5sum: record[`${prefix}md5`] ?? MD5,
      file_size: record[`${prefix}size`],
      state: record[`${prefix}state`],
      version: record[`${prefix}version`],
    })
    const replaced = records.filter((record) => record.id !== record.latest_id)
    const dataFolder = await imported(name, [
      {
        release: '31.0',
        date: '2021-12-09',
        files: replaced.map((record) => ({
          ...shown(record, ''),
          data_release: `${record.release} - 31.0`,
        })),
      },
      {
        release: '37.0',
        files: records.map((record) => {
          const releases = record.latest_release as string[]
          return {
            ...shown(record, 'latest_'),
            data_release: `${releases[0]} - ${releases.at(-1)}`,
          }
        }),
        swaps: replaced.map((record) => [String(record.id), String(record.latest_id)]),
      },
    ])
    const known = new Set(records.flatMap((record) => record.latest_release as string[]))
    for (const number of new Set(['12.0', ...known])) {
      if (number !== '31.0' && number !== '37.0') {
        await knowRelease(dataFolder, number, DATES[number] ?? '2020-01-01')
      }
    }
    return dataFolder
  }

  /** Checksums are removed from the printed examples in index.json, and are replaced by this one. */
  const MD5 = '0123456789abcdef0123456789abcdef'
  const whole = (records: readonly Json[]) =>
    records.map((record) => ({ ...record, latest_md5: record.latest_md5 ?? MD5 }))
  // The dates are those of 10_search.json.
  const DATES: Readonly<Record<string, string>> = { '12.0': '2018-08-23', '32.0': '2022-03-29' }

  test('05: two replaced files, and 10: the history of one', async () => {
    const records = vector('05_search.json')
    await serving(await published('05', records), async (app) => {
      const ids = records.map(({ id }) => id).join(',')
      const answer = await app.request(`/files/versions/${ids}?pretty=true`)
      expect(await answer.json()).toEqual(whole(records))
      const history = await app.request(`/history/${records[0]?.id}`)
      expect(await history.json()).toEqual(vector('10_search.json'))
    })
  })

  test('06: files of a manifest, two of which are current', async () => {
    const records = vector('06_search.json')
    await serving(await published('06', records), async (app) => {
      const rows = records.map(({ id }) => `${id}\ta\tb\t1\tvalidated\n`).join('')
      const answer = await app.request('/files/versions/manifest?pretty=true', {
        method: 'POST',
        body: `id\tfilename\tmd5\tsize\tstate\n${rows}`,
        headers: { 'Content-Type': 'text/tsv' },
      })
      expect(await answer.json()).toEqual(whole(records))
    })
  })
})

test('a file that is only listed in another record is its own latest version', async () => {
  const INDEX = uuid(7)
  const index = {
    file_id: INDEX,
    file_name: '4.bai',
    md5sum: '7'.repeat(32),
    file_size: 700,
    access: 'controlled',
    state: 'released',
  }
  const files = [file(ALONE, 4, { index_files: [index] })]
  const dataFolder = await imported('listed', [{ release: '1.0', date: '2001-03-29', files }])
  await serving(dataFolder, async (app) => {
    const own = { filename: '4.bai', version: '1', md5: '7'.repeat(32), size: 700 }
    const answer = await app.request(`/files/versions/${INDEX.toUpperCase()},${ALONE}`)
    expect(await answer.json()).toEqual([
      {
        id: INDEX,
        ...own,
        state: 'released',
        release: '1.0',
        latest_id: INDEX,
        latest_filename: '4.bai',
        latest_version: '1',
        latest_md5: own.md5,
        latest_size: 700,
        latest_state: 'released',
        latest_release: ['1.0'],
      },
      { ...told(ALONE, 4, '1', '1.0'), ...latest(ALONE, 4, '1', ['1.0']) },
    ])
    const history = await app.request(`/history/${INDEX}`)
    expect(await history.json()).toEqual([
      {
        uuid: INDEX,
        version: '1',
        file_change: 'released',
        release_date: '2001-03-29',
        data_release: '1.0',
      },
    ])
  })
})

test('dates of releases outlive their folders', async () => {
  const dataFolder = await imported('removed', CHAIN)
  const releases = join(dataFolder, 'releases')
  const current = readFileSync(join(releases, 'current'), 'utf8').trim()
  for (const name of await readdir(releases)) {
    if (![current, 'current'].includes(name)) await rm(join(releases, name), { recursive: true })
  }
  await serving(dataFolder, async (app) => {
    const answer = await app.request(`/history/${B}`)
    expect(await answer.json()).toEqual(HISTORY)
  })
})
