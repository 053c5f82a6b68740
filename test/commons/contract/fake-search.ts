import { DATASET_NAMES } from '../../../engine/commons/datasets/define.ts'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import { mappingOf } from '../../../engine/commons/datasets/mapping.ts'
import type {
  LookupRequest,
  RecordRequest,
  SearchAnswer,
  SearchRequest,
} from '../../../engine/commons/index.ts'
import {
  type ByteStream,
  EngineError,
  generatedStream,
  type Notification,
} from '../../../engine/shared/index.ts'
import { wholeStream } from '../../../engine/shared/streams/byte-stream.ts'
import type { NotificationEngine } from '../../../server/commons/notifications.ts'
import type { QuickSearchEngine } from '../../../server/commons/quick-search.ts'
import type { SearchEngine } from '../../../server/commons/search.ts'
import type { SystemEngine } from '../../../server/commons/system.ts'
import type { VersionsEngine } from '../../../server/commons/versions.ts'
import type { HomeEngine } from '../../../server/web/home.ts'

type AskedOfSearch =
  | { readonly kind: 'search'; readonly name: string; readonly request: SearchRequest }
  | {
      readonly kind: 'record'
      readonly name: string
      readonly id: string
      readonly request: RecordRequest
    }
  | { readonly kind: 'lookup'; readonly name: string; readonly request: LookupRequest }

export interface FakeSearch {
  readonly commons: SearchEngine &
    QuickSearchEngine &
    HomeEngine &
    NotificationEngine &
    SystemEngine['commons'] &
    VersionsEngine
  readonly asked: AskedOfSearch[]
  /** The events of bodies, by the requested behaviour. */
  readonly events: string[]
  /** The number of chunks made so far. */
  readonly chunks: number
  readonly release: { id: string }
  readonly notifications: Notification[]
}

const TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  tsv: 'text/tab-separated-values',
  csv: 'text/csv',
  xml: 'application/xml',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
} as const

const bigChunks = 40
const bigChunkBytes = 50_000

/** The bytes of the answer to `fields=big`. */
export function bigBody(): Uint8Array {
  const body = new Uint8Array(bigChunks * bigChunkBytes)
  for (let i = 0; i < bigChunks; i++) fillChunk(body.subarray(i * bigChunkBytes), i)
  return body
}

/** Fills a chunk with text that hardly compresses. */
function fillRandomly(chunk: Uint8Array, i: number): void {
  let state = i + 1
  for (let at = 0; at < bigChunkBytes; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    chunk[at] = 48 + (state >>> 26)
  }
}

function fillChunk(chunk: Uint8Array, i: number): void {
  for (let at = 0; at < bigChunkBytes; at++) chunk[at] = 97 + ((at * (i + 7)) % (11 + i))
}

/** An engine without a release. The first of `fields` determines how a list answer behaves. */
export function fakeSearch(): FakeSearch {
  const asked: AskedOfSearch[] = []
  const events: string[] = []
  const made = { chunks: 0 }
  const release = { id: 'release-1' }
  const notifications: Notification[] = []
  const facts = () => ({
    id: release.id,
    dataRelease: 'Data Release 1.0 - January 1, 2025',
    version: { major: 1, minor: 0, releaseDate: '2025-01-01' },
    createdAt: '2025-01-01T00:00:00.000Z',
  })
  const small = (request: RecordRequest, text: string): SearchAnswer => {
    const body = new TextEncoder().encode(text)
    return answerOf(request, release.id, wholeStream(body))
  }
  return {
    asked,
    events,
    get chunks() {
      return made.chunks
    },
    release,
    notifications,
    commons: {
      clock: () => new Date('2025-01-02T03:04:05.678Z'),
      datasets: DATASET_NAMES.map((name) => DATASETS[name]),
      releaseFacts: facts,
      releaseLoad: () => ({
        id: 'made',
        createdAt: new Date(0),
        servedSince: new Date(0),
        records: Object.fromEntries(DATASET_NAMES.map((name) => [name, 1234])),
      }),
      releaseHealth: () => ({ state: 'ready', problems: [] }),
      search: {
        mapping: (name) => mappingOf(DATASETS[name]),
        async search(name, request, { signal } = {}) {
          asked.push({ kind: 'search', name, request })
          const behaviour = request.fields?.[0] ?? ''
          if (behaviour === 'busy') throw new EngineError('busy', 'too many searches at once')
          if (behaviour === 'bug') throw new TypeError('secret detail of a bug')
          if (behaviour === 'bad') {
            throw new EngineError('bad_input', 'operator "x" is unknown', { at: 'filters.op' })
          }
          if (!BEHAVIOURS.has(behaviour)) return small(request, `{"name":"${name}"}`)
          signal?.addEventListener('abort', () => events.push(`${behaviour} aborted`))
          return answerOf(request, release.id, chunksOf(behaviour, events, made))
        },
        async record(name, id, request) {
          asked.push({ kind: 'record', name, id, request })
          if (id === 'unknown') throw new EngineError('not_found', `there is no ${name} "unknown"`)
          return small(request, `{"name":"${name}","id":"${id}"}`)
        },
        async lookup(name, request) {
          asked.push({ kind: 'lookup', name, request })
          return small(request, `{"name":"${name}"}`)
        },
        async quickSearch({ query, size }) {
          return { releaseId: 'fake', data: { query: { hits: [{ query, size }], total: 1 } } }
        },
      },
      versions: {
        history: async (id, form) => small(form, `{"history":"${id}"}`),
        versions: async (ids, form) => small(form, JSON.stringify({ versions: ids })),
      },
      notifications: { active: async () => notifications },
    },
  }
}

const BEHAVIOURS = new Set(['big', 'endless', 'stuck', 'fails-at-once', 'fails-midway'])

function chunksOf(behaviour: string, events: string[], made: { chunks: number }): ByteStream {
  const gate = Promise.withResolvers<void>()
  // One buffer is overwritten for every chunk, so keeping a chunk too long shows.
  const shared = new Uint8Array(new SharedArrayBuffer(bigChunkBytes))
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      if (behaviour === 'fails-at-once') throw new EngineError('corrupt_source', 'no first block')
      const most = behaviour === 'endless' ? Number.POSITIVE_INFINITY : bigChunks
      for (let i = 0; i < most; i++) {
        if (behaviour === 'fails-midway' && i === 20) {
          throw new EngineError('corrupt_source', 'a bad block')
        }
        if (behaviour === 'stuck' && i === 2) {
          events.push('stuck is stuck')
          await gate.promise
        }
        if (behaviour === 'endless') fillRandomly(shared, i)
        else fillChunk(shared, i % bigChunks)
        made.chunks += 1
        yield shared
      }
    } finally {
      events.push(`${behaviour} ended`)
    }
  }
  const giveBack = () => void events.push(`${behaviour} closed`)
  return generatedStream({ rest: chunks() }, { stop: gate.resolve, giveBack })
}

function answerOf({ format }: RecordRequest, releaseId: string, stream: ByteStream): SearchAnswer {
  return { contentType: TYPES[format], releaseId, ...stream }
}
