import {
  type Aggregator,
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client'
import type { Availability, Dependencies, KindLoad } from '../../engine/shared/index.ts'
import type { Exchange } from './exchange.ts'

interface EngineLoad {
  readonly activeSlices: number
  readonly queuedSlices: number
  readonly bytesSliced: number
  readonly openFiles: number
  readonly bufferBytes: number
  readonly activeDownloads: number
  readonly bytesDownloaded: number
  readonly downloadBufferBytes: number
  readonly damageFound: number
  readonly scrubbedFiles: number
  readonly scrubbedBytes: number
  readonly lastScrubSeconds: number
  readonly bytesPulled: number
  readonly failedPulls: number
  readonly releaseBehind: number
  readonly activeUploads: number
  readonly activeBatches: number
  readonly batchLines: number
  readonly batchErrors: number
  readonly stateCacheHits: number
  readonly stateCacheMisses: number
  readonly auditKept: number
  readonly auditLines: number
  readonly auditFailures: number
}

/** Figures of the served release. */
interface MeasuredRelease {
  readonly id: string
  readonly createdAt: Date
  readonly servedSince: Date
  /** Numbers of records, keyed by dataset. */
  readonly records: Readonly<Record<string, number>>
}

/** Identifies the running version. */
interface MeasuredBuild {
  readonly tag: string
  readonly commit: string
}

/** Figures of a pool that runs jobs. */
interface MeasuredPool {
  readonly running: number
  readonly queued: number
}

interface MeasuredEngine {
  load(): EngineLoad
  releaseLoad(): MeasuredRelease | undefined
  dependencies(): Promise<Dependencies>
  workLoads(): Promise<readonly KindLoad[]>
}

type Finished = Pick<Exchange, 'route' | 'status' | 'outcome' | 'bytesSent'>

export interface Metrics {
  readonly contentType: string
  begin(): void
  finish(method: string, exchange: Finished, seconds: number): void
  /** Counts a request that was rejected because its client exceeded a limit. */
  limited(limit: 'rate' | 'concurrency', client: 'address' | 'token' | 'key'): void
  /** Returns the values of this process. */
  values(): Promise<MetricValues>
  text(): Promise<string>
}

/** Values of a process in a form that can be aggregated. */
export type MetricValues = readonly object[]

export interface MetricsOptions {
  /** Returns the values of all processes of the service, including this one. Absent if this is the only process. */
  readonly gather?: (() => Promise<readonly MetricValues[]>) | undefined
  readonly build?: MeasuredBuild | undefined
  /** Thread pools, keyed by purpose. */
  readonly pools?: Readonly<Record<string, MeasuredPool>> | undefined
}

/** Creates the Prometheus metrics, with their own registry, so that two servers do not mix theirs. */
export function createMetrics(
  engine: MeasuredEngine,
  { gather, build, pools = {} }: MetricsOptions = {},
): Metrics {
  // Process metrics such as event loop lag and heap have a registry of their own. Their observer of garbage
  // collection keeps this registry alive as long as the process runs, and would also keep the engine alive.
  const processRegistry = new Registry()
  collectDefaultMetrics({ register: processRegistry })
  const registry = new Registry()
  const registers = [registry]
  const inFlight = new Gauge({
    name: 'casemill_http_requests_in_flight',
    help: 'Requests that are being answered.',
    registers,
  })
  const requests = new Counter({
    name: 'casemill_http_requests_total',
    help: 'Requests answered, by route pattern and status; status 499 means that the client disconnected before the response began.',
    labelNames: ['method', 'route', 'status', 'outcome'] as const,
    registers,
  })
  const duration = new Histogram({
    name: 'casemill_http_request_duration_seconds',
    help: 'Seconds from the request head to the last response byte given to the kernel.',
    labelNames: ['method', 'route'] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
    registers,
  })
  const bytes = new Counter({
    name: 'casemill_http_sent_bytes_total',
    help: 'Bytes of response bodies.',
    labelNames: ['route'] as const,
    registers,
  })
  // The label is the kind of client. A label per client would reveal who sends requests and would be unbounded.
  const limited = new Counter({
    name: 'casemill_http_limited_requests_total',
    help: 'Requests refused with status 429, by limit and by how the client is identified.',
    labelNames: ['limit', 'client'] as const,
    registers,
  })
  new Gauge({
    name: 'casemill_processes',
    help: 'Processes of the service that answer requests.',
    registers,
  }).set(1)
  registerLoad(() => engine.load(), registers)
  registerDependencies(() => engine.dependencies(), registers)
  registerWork(() => engine.workLoads(), registers)
  if (build) registerBuild(build, registers)
  registerRelease(() => engine.releaseLoad(), registers)
  registerPools(pools, registers)
  const all = Registry.merge([processRegistry, registry])
  return {
    contentType: all.contentType,
    begin: () => inFlight.inc(),
    finish(method, { route, status, outcome, bytesSent }, seconds) {
      inFlight.dec()
      requests.inc({ method, route, status, outcome })
      duration.observe({ method, route }, seconds)
      if (bytesSent > 0) bytes.inc({ route }, bytesSent)
    },
    limited: (limit, client) => limited.inc({ limit, client }),
    values: () => all.getMetricsAsJSON(),
    text: async () =>
      gather ? AggregatorRegistry.aggregate([...(await gather())]).metrics() : all.metrics(),
  }
}

/** Aggregation over processes of the gauges that must not be summed. */
const aggregators: Partial<Record<keyof EngineLoad, Aggregator>> = {
  scrubbedFiles: 'max',
  lastScrubSeconds: 'max',
  releaseBehind: 'max',
}

const loadGauges: Readonly<Record<keyof EngineLoad, readonly [name: string, help: string]>> = {
  activeSlices: ['casemill_slices_active', 'Slices being made.'],
  queuedSlices: ['casemill_slices_queued', 'Slices waiting for their turn.'],
  bytesSliced: ['casemill_sliced_bytes', 'Bytes of slices made since the start.'],
  openFiles: ['casemill_open_files', 'Source files held open.'],
  bufferBytes: ['casemill_buffer_bytes', 'Shared buffers of slices, in use or free.'],
  activeDownloads: ['casemill_downloads_active', 'Files and archives being sent.'],
  bytesDownloaded: [
    'casemill_downloaded_bytes',
    'Bytes of files and archives read since the start.',
  ],
  downloadBufferBytes: ['casemill_download_buffer_bytes', 'Buffers of downloads, in use or free.'],
  damageFound: [
    'casemill_damaged_files_found',
    'Times since the start that a stored file was found damaged.',
  ],
  scrubbedFiles: [
    'casemill_scrub_files',
    'Files checked in the current pass of the scrub, or else in the last one.',
  ],
  scrubbedBytes: ['casemill_scrubbed_bytes', 'Bytes that the scrub has read since the start.'],
  lastScrubSeconds: [
    'casemill_scrub_last_pass_timestamp_seconds',
    'When the last full pass of the scrub ended; 0 without one.',
  ],
  bytesPulled: [
    'casemill_release_pulled_bytes',
    'Bytes of releases fetched from the bucket since the start.',
  ],
  failedPulls: [
    'casemill_release_pulls_failed',
    'Failed attempts since the start to fetch an offered release, including releases whose bytes do not match their checksums.',
  ],
  releaseBehind: [
    'casemill_release_behind',
    '1 while this node does not serve the release that all nodes were switched to, else 0.',
  ],
  activeUploads: ['casemill_uploads_active', 'Submitted files being checked and stored.'],
  activeBatches: ['casemill_batches_active', 'Batches of staging and multiple primaries.'],
  batchLines: ['casemill_batch_lines', 'Lines of batches answered since the start.'],
  batchErrors: [
    'casemill_batch_line_errors',
    'Lines of batches answered with an error since the start.',
  ],
  stateCacheHits: [
    'casemill_state_cache_hits',
    'Look-ups of files, owners, tokens and keys since the start that the cache answered.',
  ],
  stateCacheMisses: [
    'casemill_state_cache_misses',
    'Look-ups of files, owners, tokens and keys since the start that needed the database.',
  ],
  auditKept: ['casemill_audit_kept', '1 while a record of controlled data is kept, else 0.'],
  auditLines: ['casemill_audit_lines', 'Lines written to the audit record since the start.'],
  auditFailures: [
    'casemill_audit_failures',
    'Answers since the start that could not be recorded. All but revocations were not sent.',
  ],
}

function registerLoad(load: () => EngineLoad, registers: Registry[]): void {
  for (const [key, [name, help]] of Object.entries(loadGauges)) {
    new Gauge({
      name,
      help,
      registers,
      aggregator: aggregators[key as keyof EngineLoad] ?? 'sum',
      collect() {
        this.set(load()[key as keyof EngineLoad])
      },
    })
  }
}

function registerDependencies(
  dependencies: () => Promise<Dependencies>,
  registers: Registry[],
): void {
  const states = async (): Promise<readonly (readonly [string, Availability])[]> => {
    const { database, objectStorage, disk } = await dependencies()
    const objects = objectStorage ? [['object_storage', objectStorage.state] as const] : []
    return [['database', database.state], ...objects, ['disk', disk.state]]
  }
  const meaning = {
    away: 'cannot be reached or does not answer',
    full: 'has no free space',
  } as const
  for (const state of ['away', 'full'] as const) {
    new Gauge({
      name: `casemill_dependency_${state}`,
      help: `1 if the dependency ${meaning[state]}, else 0.`,
      labelNames: ['dependency'] as const,
      registers,
      aggregator: 'max',
      async collect() {
        for (const [dependency, is] of await states()) {
          this.set({ dependency }, is === state ? 1 : 0)
        }
      },
    })
  }
  new Gauge({
    name: 'casemill_disk_free_bytes',
    help: 'Bytes free on the disk of the data folder.',
    registers,
    aggregator: 'min',
    async collect() {
      this.set((await dependencies()).disk.freeBytes)
    },
  })
  new Gauge({
    name: 'casemill_disk_total_bytes',
    help: 'Size of the disk of the data folder in bytes.',
    registers,
    aggregator: 'min',
    async collect() {
      this.set((await dependencies()).disk.totalBytes)
    },
  })
}

/** Aggregated as a maximum, because all processes with the same database see the same queue. */
function registerWork(loads: () => Promise<readonly KindLoad[]>, registers: Registry[]): void {
  const ofQueue = { registers, aggregator: 'max' } as const
  // The queue is unknown while the database is away, which casemill_dependency_away reports.
  const known = () => loads().catch((): readonly KindLoad[] => [])
  new Gauge({
    ...ofQueue,
    name: 'casemill_work_tasks',
    help: 'Tasks of background work, by kind and state.',
    labelNames: ['kind', 'state'] as const,
    async collect() {
      this.reset()
      for (const { kind, waiting, running, failed } of await known()) {
        this.set({ kind, state: 'waiting' }, waiting)
        this.set({ kind, state: 'running' }, running)
        this.set({ kind, state: 'failed' }, failed)
      }
    },
  })
  new Gauge({
    ...ofQueue,
    name: 'casemill_work_oldest_seconds',
    help: 'Age of the oldest task of background work that waits or runs, by kind; 0 without one.',
    labelNames: ['kind'] as const,
    async collect() {
      this.reset()
      for (const { kind, oldest } of await known()) {
        const age = oldest === null ? 0 : (Date.now() - Date.parse(oldest)) / 1000
        this.set({ kind }, Math.max(0, age))
      }
    },
  })
}

function registerBuild({ tag, commit }: MeasuredBuild, registers: Registry[]): void {
  // Outside of a checkout, `commit` is the version.
  const revision = commit === tag ? '' : commit
  new Gauge({
    name: 'casemill_build_info',
    help: '1; its labels are the version, the commit of a checkout, and the version of Node.',
    labelNames: ['version', 'revision', 'node'] as const,
    registers,
    aggregator: 'max',
  }).set({ version: tag, revision, node: process.versions.node }, 1)
}

/** Processes may serve different releases for a second, which shows as two releases. */
function registerRelease(load: () => MeasuredRelease | undefined, registers: Registry[]): void {
  const ofRelease = { registers, aggregator: 'max' } as const
  new Gauge({
    ...ofRelease,
    name: 'casemill_release_info',
    help: '1 for the release that is served; absent without one.',
    labelNames: ['release'] as const,
    collect() {
      this.reset()
      const release = load()
      if (release) this.set({ release: release.id }, 1)
    },
  })
  new Gauge({
    ...ofRelease,
    name: 'casemill_release_records',
    help: 'Records of the release that is served, by dataset.',
    labelNames: ['dataset'] as const,
    collect() {
      for (const [dataset, rows] of Object.entries(load()?.records ?? {})) {
        this.set({ dataset }, rows)
      }
    },
  })
  new Gauge({
    ...ofRelease,
    name: 'casemill_release_created_timestamp_seconds',
    help: 'When the release that is served was made; 0 without one.',
    collect() {
      this.set(secondsOf(load()?.createdAt))
    },
  })
  new Gauge({
    ...ofRelease,
    name: 'casemill_release_switched_timestamp_seconds',
    help: 'When the service began to serve its release; 0 without one.',
    collect() {
      this.set(secondsOf(load()?.servedSince))
    },
  })
}

const secondsOf = (date = new Date(0)) => date.getTime() / 1000

function registerPools(pools: Readonly<Record<string, MeasuredPool>>, registers: Registry[]): void {
  const numbers = {
    running: ['casemill_jobs_running', 'Jobs that threads are running, by pool.'],
    queued: ['casemill_jobs_queued', 'Jobs that wait for a thread, by pool.'],
  } as const
  for (const key of ['running', 'queued'] as const) {
    const [name, help] = numbers[key]
    new Gauge({
      name,
      help,
      registers,
      labelNames: ['pool'] as const,
      collect() {
        for (const [pool, load] of Object.entries(pools)) this.set({ pool }, load[key])
      },
    })
  }
}
