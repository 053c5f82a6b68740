import {
  type Engine,
  EngineError,
  inlineExecutor,
  LoadedDictionary,
  type Slice,
  type SliceRequest,
  type StoredFile,
} from '../../../engine/index.ts'
import { createApp, type ServedEngine } from '../../../server/app.ts'
import { type Config, readConfig } from '../../../server/config.ts'
import { createLog } from '../../../server/http/log.ts'
import { createMetrics } from '../../../server/http/metrics.ts'
import { type FakeSearch, fakeSearch } from './fake-search.ts'

/** Token that may read the controlled file; the stranger's is valid but has no right. */
export const goodToken = 'good-token-0123456789'
export const strangerToken = 'stranger-token-0123456789'

export interface FakeEngine {
  readonly engine: ServedEngine & Pick<Engine, 'load'>
  readonly requests: SliceRequest[]
  /** Chunks made, and slices closed, so far, by file id. */
  readonly made: Map<string, number>
  readonly closed: Map<string, number>
  readonly aborted: Set<string>
  readonly search: FakeSearch
}

const MiB = 1 << 20

// What each file id of the fake does; the checks follow the order of contract 7.
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

/** Submission without a database: nothing is registered in it. */
function fakeSubmission(): ServedEngine['submission'] {
  const unknown = async () => {
    throw new EngineError('not_found', 'nothing is registered in this engine')
  }
  const projects = new Proxy({} as ServedEngine['submission']['projects'], { get: () => unknown })
  const has = (_: unknown, name: string | symbol) => (name === 'projects' ? projects : unknown)
  return new Proxy<ServedEngine['submission']>({} as ServedEngine['submission'], { get: has })
}

/** No token is a good one. */
function unknownCaller(): never {
  throw new EngineError('unauthenticated', 'the token is not known')
}

/** Nobody asks the fake for these. */
const unasked = async () => {
  throw new EngineError('unavailable', 'the fake engine has no release')
}
const UNASKED = { topMutated: unasked, casesByGenes: unasked, casesByProject: unasked }

/** An engine without files: enough of its rules to test what HTTP makes of them. */
export function fakeEngine(): FakeEngine {
  const requests: SliceRequest[] = []
  const made = new Map<string, number>()
  const closed = new Map<string, number>()
  const aborted = new Set<string>()
  const search = fakeSearch()
  const engine: FakeEngine['engine'] = {
    ...search.engine,
    dictionary: new LoadedDictionary(inlineExecutor),
    async authoriseSlice(fileId, token) {
      const behaviour = Object.hasOwn(behaviours, fileId) ? behaviours[fileId] : undefined
      if (behaviour === undefined || behaviour === 'not a bam') {
        throw new EngineError('not_found', 'no BAM exists for the given id')
      }
      if (behaviour === 'controlled') checkToken(fileId, token)
      return storedFile(fileId)
    },
    async slice(request, { signal } = {}) {
      await engine.authoriseSlice(request.fileId, request.token)
      if (behaviours[request.fileId] === 'no index') {
        throw new EngineError('no_index', 'the BAM has no index')
      }
      checkRegions(request.regions)
      if (request.fileId === 'busy') throw new EngineError('busy', 'too many slices at once')
      if (request.fileId === 'bug') throw new TypeError('secret detail of a bug')
      if (request.fileId === 'corrupt') {
        throw new EngineError('corrupt_source', 'block at byte 0 does not inflate')
      }
      requests.push(request)
      signal?.addEventListener('abort', () => aborted.add(request.fileId))
      return sliceOf(request, made, closed)
    },
    ...UNASKED,
    keys: { verify: async () => undefined },
    tokens: { verify: async () => undefined },
    submission: fakeSubmission(),
    submissionFiles: new Proxy({} as ServedEngine['submissionFiles'], { get: () => unasked }),
    submissionExport: { export: unasked },
    submittedGraph: { admit: unknownCaller, query: unasked, schema: unasked },
    staging: new Proxy({} as ServedEngine['staging'], { get: () => unasked }),
    rx: new Proxy({} as ServedEngine['rx'], { get: () => unasked }),
    glossary: new Proxy({} as ServedEngine['glossary'], { get: () => unasked }),
    disease: new Proxy({} as ServedEngine['disease'], { get: () => unasked }),
    terms: new Proxy({} as ServedEngine['terms'], { get: () => unasked }),
    primaries: new Proxy({} as ServedEngine['primaries'], { get: () => unasked }),
    ndc: new Proxy({} as ServedEngine['ndc'], { get: () => unasked }),
    hcpcs: new Proxy({} as ServedEngine['hcpcs'], { get: () => unasked }),
    multiplePrimaries: new Proxy({} as ServedEngine['multiplePrimaries'], { get: () => unasked }),
    async cellExpression() {
      throw new EngineError('not_found', 'no file exists for the given id')
    },
    async expressionAvailability() {
      throw new EngineError('unavailable', 'this engine has no expression')
    },
    async expressionValues() {
      throw new EngineError('unavailable', 'this engine has no expression')
    },
    async geneSelection() {
      throw new EngineError('unavailable', 'this engine has no expression')
    },
    async download() {
      throw new EngineError('not_found', 'this engine has no files to give')
    },
    async survival() {
      throw new EngineError('unavailable', 'this engine has no release')
    },
    async manifest() {
      throw new EngineError('not_found', 'this engine has no files to list')
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
    }),
  }
  return { engine, requests, made, closed, aborted, search }
}

function storedFile(id: string): StoredFile {
  return {
    id,
    fileName: `${id}.bam`,
    size: 1,
    md5: '0'.repeat(32),
    dataFormat: 'BAM',
    access: 'open',
    acl: [],
    partOf: null,
    indexName: null,
    storage: 'folder',
    linkedModified: null,
    createdAt: '2025-01-01T00:00:00Z',
  }
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
  { fileId }: SliceRequest,
  made: Map<string, number>,
  closed: Map<string, number>,
): Slice {
  let open = true
  let letGo = () => {}
  const add = (counts: Map<string, number>) => counts.set(fileId, (counts.get(fileId) ?? 0) + 1)
  // One buffer for all chunks, overwritten each time: whoever keeps a chunk too long sees it.
  const shared = new Uint8Array(MiB)
  async function* body(): AsyncGenerator<Uint8Array> {
    if (fileId === 'fails-at-once') throw new EngineError('corrupt_source', 'no first block')
    if (fileId === 'stuck') {
      await new Promise<void>((resolve) => {
        letGo = resolve
      })
    }
    for (let i = 0; open && i < (fileId === 'endless' ? Number.POSITIVE_INFINITY : 4); i++) {
      if (fileId === 'fails-midway' && i === 3) throw new EngineError('corrupt_source', 'bad block')
      shared.fill(i & 0xff)
      add(made)
      yield shared
    }
  }
  return {
    fileName: fileId === 'strange name' ? 'slice of "Müller".bam' : `${fileId}_slice.bam`,
    body: body(),
    async close() {
      if (!open) return
      open = false
      letGo()
      add(closed)
    },
  }
}

export const fakeStatus = { commit: '880f321a', tag: '0.1.0' }

/** A log whose lines are kept. */
export function keptLog(config: Config) {
  const lines: string[] = []
  return { lines, log: createLog(config, { write: (line: string) => void lines.push(line) }) }
}

/** The application over a fake engine, or over what is made of it. */
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
