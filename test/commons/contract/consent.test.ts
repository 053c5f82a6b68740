import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../../bin/support/program.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { readConfig } from '../../../server/config.ts'
import { startServer } from '../../../server/main.ts'
import { uuidOf } from '../import/support/documents.ts'
import { keptLog } from './fake-engine.ts'

// Consent codes of files and projects, from the import to the download (docs/how-to/consent.md).

const CASE = uuidOf('c', 1)
/** Files of the project, by what their own records say. */
const FILES = {
  'of the project': { id: uuidOf('f', 1) },
  'general use': { id: uuidOf('f', 2), consent: ['GRU'] },
  'one disease': { id: uuidOf('f', 3), consent: ['DS-MONDO:0004992', 'NPU'] },
  'unknown words': { id: uuidOf('f', 4), consent: ['as agreed'] },
} as const
type Name = keyof typeof FILES
/** A file that no record describes, with rights in the project. */
const WITHOUT_RECORD = uuidOf('f', 9)
const NAMES = Object.keys(FILES) as Name[]

const RECORDS = [
  { project_id: 'PINE-1', name: 'Pine', consent: ['HMB', 'IRB'] },
  { case_id: CASE, submitter_id: 'PINE-1-A', project: { project_id: 'PINE-1' } },
  ...NAMES.map((name) => ({
    file_id: FILES[name].id,
    file_name: `${name}.txt`,
    md5sum: createHash('md5').update(name).digest('hex'),
    file_size: name.length,
    access: 'controlled',
    cases: [{ case_id: CASE }],
    ...('consent' in FILES[name] && { consent: FILES[name].consent }),
  })),
]

let folder: string
let data: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-consent-'))
  data = join(folder, 'data')
  const run = async (...words: string[]) => {
    const { status, err, out } = await runProgram([...words, '--data', data])
    expect([status, err]).toEqual([0, expect.any(String)])
    return out.trim()
  }
  const records = join(folder, 'records.ndjson')
  await writeFile(records, RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''))
  await run('import', 'commons', records)
  const manifest = join(folder, 'manifest.txt')
  const rows = NAMES.map((name) => {
    const md5 = createHash('md5').update(name).digest('hex')
    return [FILES[name].id, `${name}.txt`, md5, name.length, 'released'].join('\t')
  })
  await writeFile(manifest, ['id\tfilename\tmd5\tsize\tstate', ...rows, ''].join('\n'))
  for (const name of NAMES) await writeFile(join(folder, `${name}.txt`), name)
  await run('import', 'files', '--manifest', manifest, '--from', folder)
  const other = join(folder, 'other.txt')
  await writeFile(join(folder, 'without-record.txt'), 'bytes')
  const md5 = createHash('md5').update('bytes').digest('hex')
  const row = [WITHOUT_RECORD, 'without-record.txt', md5, 5, 'released'].join('\t')
  await writeFile(other, ['id\tfilename\tmd5\tsize\tstate', row, ''].join('\n'))
  await run('import', 'files', '--manifest', other, '--from', folder, '--project', 'PINE-1')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Served extends AsyncDisposable {
  readonly engine: Engine
  get(path: string, token?: string): Promise<Response>
}

async function serve(consent: 'shown' | 'enforced'): Promise<Served> {
  const config = readConfig({ flags: { port: 0, drainSeconds: 0, consent } })
  const engine = await openEngine({
    dataFolder: data,
    executor: inlineExecutor,
    enforcesConsent: config.consent === 'enforced',
  })
  await engine.start()
  const { log } = keptLog(config)
  const server = await startServer({ engine, config, status: { commit: '', tag: '' }, log })
  return {
    engine,
    get: (path, token) =>
      fetch(`${server.address}${path}`, { headers: token ? { 'x-auth-token': token } : {} }),
    async [Symbol.asyncDispose]() {
      await server.close()
      await engine.close()
    },
  }
}

interface Answer {
  readonly description?: string
  readonly url?: string
  readonly data?: {
    readonly hits: readonly { readonly consent?: unknown; readonly cases?: unknown }[]
    readonly aggregations?: { readonly consent: { readonly buckets: unknown } }
  }
}

const jsonOf = async (response: Promise<Response>) => (await (await response).json()) as Answer

const tokenOf = async ({ engine }: Served, purposes: readonly string[], admin = false) =>
  (await engine.shared.tokens.create({ user: 'ada', projects: ['PINE-1'], purposes, admin })).secret

/** The names of the files whose bytes a token gets. */
async function readable(served: Served, token: string): Promise<readonly Name[]> {
  const statuses = await Promise.all(
    NAMES.map(async (name) => (await served.get(`/data/${FILES[name].id}`, token)).status),
  )
  expect(statuses.every((status) => status === 200 || status === 403)).toBe(true)
  return NAMES.filter((_, i) => statuses[i] === 200)
}

describe('while consent codes are only shown', () => {
  test('they are requested, filtered and described, and close nothing', async () => {
    await using served = await serve('shown')
    const files = await jsonOf(
      served.get('/files?fields=file_name,consent,cases.project.consent&sort=file_id'),
    )
    expect(files.data?.hits.map(({ consent }) => consent)).toEqual([
      undefined,
      ['DUO:0000042'],
      ['DUO:0000007 MONDO:0004992', 'DUO:0000045'],
      ['as agreed'],
    ])
    expect(files.data?.hits[0]?.cases).toEqual([
      { project: { consent: ['DUO:0000006', 'DUO:0000021'] } },
    ])
    const filter = JSON.stringify({
      op: 'in',
      content: { field: 'consent', value: ['DUO:0000007*'] },
    })
    const found = await jsonOf(
      served.get(`/files?filters=${encodeURIComponent(filter)}&fields=file_id&facets=consent`),
    )
    expect(found.data?.hits).toEqual([
      { id: FILES['one disease'].id, file_id: FILES['one disease'].id },
    ])
    expect(found.data?.aggregations?.consent.buckets).toContainEqual({
      doc_count: 1,
      key: 'DUO:0000045',
    })
    const object = await jsonOf(served.get(`/ga4gh/drs/v1/objects/${FILES['of the project'].id}`))
    expect(object.description).toBe(
      'consent HMB: health or medical or biomedical research, IRB: ethics approval required',
    )
    expect(await readable(served, await tokenOf(served, []))).toEqual(NAMES)
  })
})

describe('when consent is enforced', () => {
  test.each([
    [[], []],
    [['HMB'], ['general use']],
    [
      ['HMB', 'IRB'],
      ['of the project', 'general use'],
    ],
    [
      ['DS-MONDO:0004992', 'IRB', 'NPU'],
      ['of the project', 'general use', 'one disease'],
    ],
    [['DS-MONDO:0005070', 'NPU'], ['general use']],
    [
      ['MDS', 'NPU'],
      ['general use', 'one disease'],
    ],
  ])('the purposes %j open %j', async (purposes, expected) => {
    await using served = await serve('enforced')
    expect(await readable(served, await tokenOf(served, purposes))).toEqual(expected)
  })

  test('the message names the codes, archives are refused, and administrators need none', async () => {
    await using served = await serve('enforced')
    const token = await tokenOf(served, ['HMB'])
    const refused = await served.get(`/data/${FILES['one disease'].id}`, token)
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('DS MONDO:0004992: disease specific research'),
    ])
    const archive = await served.get(
      `/data/${NAMES.map((name) => FILES[name].id).join(',')}`,
      token,
    )
    expect(archive.status).toBe(403)
    // Without rights in the project, no purpose helps.
    const other = await served.engine.shared.tokens.create({
      user: 'eve',
      purposes: ['GRU', 'IRB'],
    })
    expect(await readable(served, other.secret)).toEqual([])
    const admin = await tokenOf(served, [], true)
    expect(await readable(served, admin)).toEqual(NAMES)
  })

  test('a file without a record has the codes of the project whose rights open it', async () => {
    await using served = await serve('enforced')
    const statusOf = async (purposes: readonly string[]) =>
      (await served.get(`/data/${WITHOUT_RECORD}`, await tokenOf(served, purposes))).status
    expect(await statusOf([])).toBe(403)
    expect(await statusOf(['HMB', 'IRB'])).toBe(200)
  })

  test('a link is given to a token that meets the codes', async () => {
    await using served = await serve('enforced')
    const token = await tokenOf(served, ['HMB'])
    const id = FILES['general use'].id
    const link = await jsonOf(served.get(`/ga4gh/drs/v1/objects/${id}/access/https`, token))
    expect(link.url).toContain(id)
    const other = FILES['one disease'].id
    expect((await served.get(`/ga4gh/drs/v1/objects/${other}/access/https`, token)).status).toBe(
      403,
    )
  })
})

test('a token with an unknown purpose is refused, with the words that exist', async () => {
  const words = ['token', 'create', '--user', 'ada', '--purpose', 'research', '--data', data]
  const { status, err } = await runProgram(words)
  expect([status, err]).toEqual([
    1,
    expect.stringContaining('use MDS, or one of GRU, HMB, DS, POA'),
  ])
})
