import { channel } from 'node:diagnostics_channel'
import type { ReadableBam, SliceRequest } from '../../../engine/commons/index.ts'
import type { Engine } from '../../../engine/index.ts'
import {
  type ByteStream,
  EngineError,
  generatedStream,
  inlineExecutor,
} from '../../../engine/shared/index.ts'
import { LoadedDictionary, type Submissions } from '../../../engine/submission/index.ts'
import { createApp, type ServedEngine } from '../../../server/app.ts'
import { type Config, readConfig } from '../../../server/config.ts'
import { createLog } from '../../../server/http/log.ts'
import { createMetrics } from '../../../server/http/metrics.ts'
import { LOG_CHANNEL } from '../../proof/last-events.ts'
import { type FakeSearch, fakeSearch } from './fake-search.ts'

/** A token that may read the controlled file; the stranger's token is valid but has no right. */
export const goodToken = 'good-token-0123456789'
export const strangerToken = 'stranger-token-0123456789'

/** A requested slice, with its file and user. */
interface RequestedSlice extends SliceRequest {
  readonly fileId: string
  readonly token: string | undefined
}

interface FakeEngine {
  readonly engine: ServedEngine & Pick<Engine, 'load' | 'releaseLoad' | 'workLoads'>
  readonly requests: RequestedSlice[]
  /** The numbers of chunks made and slices disposed of so far, by file id. */
  readonly made: Map<string, number>
  readonly closed: Map<string, number>
  readonly aborted: Set<string>
  readonly search: FakeSearch
}

const MiB = 1 << 20

// The behaviour of each file id of the fake; the checks follow the order of data-commons.md 7.
const behaviours: Readonly<Record<string, 'open' | 'controlled' | 'no index' | 'not a bam'>> = {
  open: 'open',
  controlled: 'controlled',
  unindexed: 'no index',
  text: 'not a bam',
  busy: 'open',
  corrupt: 'open',
  bug: 'open',
  'fails-at-once': 'open',
  'fails-midway': 'open',
  endless: 'open',
  stuck: 'open',
  'strange name': 'open',
}

/** A submission without a database, in which nothing is registered. */
function fakeTransactions(): Submissions['transactions'] {
  const unknown = async () => {
    throw new EngineError('not_found', 'nothing is registered in this engine')
  }
  const projects = new Proxy({}, { get: () => unknown })
  const has = (_: unknown, name: string | symbol) => (name === 'projects' ? projects : unknown)
  return new Proxy<Submissions['transactions']>({} as Submissions['transactions'], { get: has })
}

/** The fake knows no valid token. */
function unknownCaller(): never {
  throw new EngineError('unauthenticated', 'the token is not known')
}

/** No test calls these functions of the fake. */
const unasked = async () => {
  throw new EngineError('unavailable', 'the fake engine has no release')
}
/** An engine without files that follows enough of its rules to test the HTTP layer. */
export function fakeEngine(): FakeEngine {
  const requests: RequestedSlice[] = []
  const made = new Map<string, number>()
  const closed = new Map<string, number>()
  const aborted = new Set<string>()
  const search = fakeSearch()
  const openBam = async (fileId: string, token: string | undefined): Promise<ReadableBam> => {
    const behaviour = Object.hasOwn(behaviours, fileId) ? behaviours[fileId] : undefined
    if (behaviour === undefined || behaviour === 'not a bam') {
      throw new EngineError('not_found', 'no BAM exists for the given id')
    }
    if (behaviour === 'controlled') checkToken(fileId, token)
    const probe = async () => {
      if (behaviour === 'no index') throw new EngineError('no_index', 'the BAM has no index')
    }
    const plan: ReadableBam['plan'] = async (request, { signal } = {}) => {
      await probe()
      checkRegions(request.regions)
      if (fileId === 'busy') throw new EngineError('busy', 'too many slices at once')
      if (fileId === 'bug') throw new TypeError('secret detail of a bug')
      if (fileId === 'corrupt') {
        throw new EngineError('corrupt_source', 'block at byte 0 does not inflate')
      }
      requests.push({ fileId, token, ...request })
      signal?.addEventListener('abort', () => aborted.add(fileId))
      const slice = sliceOf(fileId, made, closed)
      return {
        fileName: fileId === 'strange name' ? 'slice of "Müller".bam' : `${fileId}_slice.bam`,
        pieces: undefined,
        length: undefined,
        fingerprint: undefined,
        open: async () => slice,
        indexed: unasked,
        [Symbol.asyncDispose]: () => slice[Symbol.asyncDispose](),
      }
    }
    return {
      fileId,
      releaseId: 'release-1',
      probe,
      plan,
      coverage: unasked,
      records: unasked,
      async slice(request, run) {
        const { fileName, fingerprint, open } = await plan(request, run)
        return { ...(await open()), fileName, fingerprint }
      },
    }
  }
  const noExpression = async () => {
    throw new EngineError('unavailable', 'this engine has no expression')
  }
  type FakedRegistry = ServedEngine['registry']
  const area = <Name extends keyof FakedRegistry>() =>
    new Proxy({} as FakedRegistry[Name], { get: () => unasked })
  const engine: FakeEngine['engine'] = {
    commons: {
      ...search.commons,
      slicing: { open: openBam },
      htsget: {
        async open() {
          throw new EngineError('not_found', 'this engine has no files to cut')
        },
        async held() {
          throw new EngineError('not_found', 'this engine has no files to cut')
        },
      },
      sets: {
        append: unasked,
        combine: unasked,
        create: unasked,
        delete: unasked,
        remove: unasked,
        get: unasked,
        pin: async (filters) => filters,
      },
      setFiles: { of: unasked },
      cohorts: {
        create: unasked,
        delete: unasked,
        get: unasked,
        replace: unasked,
        async *list() {},
        isContext: () => false,
        newContext: () => '0'.repeat(32),
      },
      caseTables: { of: unasked },
      mutationTables: { of: unasked },
      searchGraph: { query: unasked },
      mutationCounts: {
        top: unasked,
        byGenes: unasked,
        byProject: unasked,
        oncogrid: unasked,
        geneChanges: unasked,
        burden: unasked,
        segments: unasked,
        copyNumbers: unasked,
        geneAssociations: unasked,
      },
      singleCell: {
        async annotations() {
          throw new EngineError('not_found', 'no file exists for the given id')
        },
        async expression() {
          throw new EngineError('not_found', 'no file exists for the given id')
        },
      },
      expression: {
        availability: noExpression,
        values: noExpression,
        geneSelection: noExpression,
        differential: noExpression,
        coexpression: noExpression,
        setScores: noExpression,
      },
      drs: {
        object: unasked,
        objects: unasked,
        link: unasked,
        byChecksum: unasked,
        facts: unasked,
      },
      downloads: {
        async download() {
          throw new EngineError('not_found', 'this engine has no files to give')
        },
        async index() {
          throw new EngineError('not_found', 'this engine has no index to give')
        },
      },
      comparison: { variables: unasked, enrichment: unasked, fields: unasked },
      survival: {
        async curves() {
          throw new EngineError('unavailable', 'this engine has no release')
        },
      },
      async manifest() {
        throw new EngineError('not_found', 'this engine has no files to list')
      },
    },
    submission: {
      dictionary: new LoadedDictionary(inlineExecutor),
      credentials: { verify: async () => undefined },
      people: {
        sessions: { start: unasked, end: async () => false, record: unasked, displayName: unasked },
        tokens: { check: unasked, create: unasked, list: unasked, revoke: unasked },
        claims: { absentClaims: unasked },
      },
      transactions: fakeTransactions(),
      files: new Proxy({} as Submissions['files'], { get: () => unasked }),
      export: { export: unasked },
      graph: { admit: unknownCaller, query: unasked, schema: unasked },
    },
    registry: {
      keys: { verify: async () => undefined },
      staging: area<'staging'>(),
      rx: area<'rx'>(),
      glossary: area<'glossary'>(),
      disease: area<'disease'>(),
      terms: area<'terms'>(),
      primaries: area<'primaries'>(),
      ndc: area<'ndc'>(),
      hcpcs: area<'hcpcs'>(),
      surgery: area<'surgery'>(),
      naaccr: area<'naaccr'>(),
      files: area<'files'>(),
      edits: area<'edits'>(),
      conversions: area<'conversions'>(),
      multiplePrimaries: area<'multiplePrimaries'>(),
      recodes: area<'recodes'>(),
    },
    dependencies: async () => ({
      database: { kind: 'embedded', state: 'available' },
      disk: { state: 'available', freeBytes: 8, totalBytes: 9 },
    }),
    load: () => ({
      activeSlices: 2,
      queuedSlices: 1,
      bytesSliced: 42,
      openFiles: 3,
      bufferBytes: 4,
      activeDownloads: 5,
      bytesDownloaded: 6,
      downloadBufferBytes: 7,
      damageFound: 0,
      scrubbedFiles: 0,
      scrubbedBytes: 0,
      lastScrubSeconds: 0,
      bytesPulled: 0,
      failedPulls: 0,
      releaseBehind: 0,
      activeUploads: 0,
      activeBatches: 0,
      batchLines: 0,
      batchErrors: 0,
      stateCacheHits: 0,
      stateCacheMisses: 0,
      auditKept: 0,
      auditLines: 0,
      auditFailures: 0,
    }),
    workLoads: async () => [
      { kind: 'block-directory', waiting: 2, running: 1, failed: 0, oldest: null },
    ],
    releaseLoad: () => ({
      id: 'made',
      createdAt: new Date('2025-01-01T00:00:00Z'),
      servedSince: new Date('2025-01-02T00:00:00Z'),
      records: { cases: 10 },
    }),
  }
  return { engine, requests, made, closed, aborted, search }
}

function checkToken(fileId: string, token: string | undefined): void {
  if (token === undefined) {
    const message = "You don't have access to the data: Please specify a X-Auth-Token"
    throw new EngineError('unauthenticated', message)
  }
  if (token === strangerToken) {
    throw new EngineError('forbidden', `Requested file ${fileId} does not allow read access`)
  }
  if (token !== goodToken) {
    throw new EngineError('unauthenticated', 'Your token is invalid or expired.')
  }
}

function checkRegions(regions: readonly string[]): void {
  for (const [i, text] of regions.entries()) {
    if (/^[a-zA-Z0-9]+(:([0-9]+)?(-[0-9]+)?)?$/.test(text)) continue
    const message = `region "${text}" is malformed; use name, name:start, name:start-end or name:-end`
    throw new EngineError('bad_region', message, { at: `regions[${i}]` })
  }
}

function sliceOf(
  fileId: string,
  made: Map<string, number>,
  closed: Map<string, number>,
): ByteStream {
  const gate = Promise.withResolvers<void>()
  const add = (counts: Map<string, number>) => counts.set(fileId, (counts.get(fileId) ?? 0) + 1)
  // One buffer is overwritten for every chunk, so keeping a chunk too long shows.
  const shared = new Uint8Array(MiB)
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (fileId === 'fails-at-once') throw new EngineError('corrupt_source', 'no first block')
    if (fileId === 'stuck') await gate.promise
    for (let i = 0; i < (fileId === 'endless' ? Number.POSITIVE_INFINITY : 4); i++) {
      if (fileId === 'fails-midway' && i === 3) throw new EngineError('corrupt_source', 'bad block')
      shared.fill(i & 0xff)
      add(made)
      yield shared
    }
  }
  const giveBack = () => void add(closed)
  return generatedStream({ rest: chunks() }, { stop: gate.resolve, giveBack })
}

/** Settings of a service at which people log in. The institution does not answer. */
export const WITH_LOGIN = Object.freeze({
  publicUrl: 'https://data.example.org',
  loginIssuer: 'http://127.0.0.1:9',
  loginClientId: 'casemill',
  loginClientSecret: 'secret',
})

export const fakeStatus = { commit: '880f321a', tag: '0.1.0' }

/** A log that keeps its lines. */
export function keptLog(config: Config) {
  const lines: string[] = []
  const shown = channel(LOG_CHANNEL)
  const write = (line: string) => {
    lines.push(line)
    shown.publish(line)
  }
  return { lines, log: createLog(config, { write }) }
}

/** The application over a fake engine, or over a modification of it. */
export function fakeApp(
  overrides: Partial<Config> = {},
  served: (engine: FakeEngine['engine']) => FakeEngine['engine'] = (engine) => engine,
) {
  const fake = fakeEngine()
  const config = readConfig({ flags: { logLevel: 'debug', ...overrides } })
  const { lines, log } = keptLog(config)
  const metrics = createMetrics(fake.engine)
  const readiness = { ready: true }
  const ready = () => readiness.ready
  const engine = served(fake.engine)
  const app = createApp({ engine, config, log, metrics, status: fakeStatus, ready })
  return { ...fake, app, lines, readiness }
}
