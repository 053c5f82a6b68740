import { join } from 'node:path'
import { type Authenticator, Credentials } from './access/authenticator.ts'
import { AccessMap } from './access/claims/access-map.ts'
import { ClaimRightsReader } from './access/claims/claim-rights.ts'
import { type JwtRules, JwtVerifier } from './access/jwt/jwt-verifier.ts'
import { KeyStore } from './access/keys.ts'
import { PersonalTokenStore } from './access/personal-tokens.ts'
import { SessionStore, type SessionTimes } from './access/sessions.ts'
import { Tickets } from './access/tickets.ts'
import { TokenStore } from './access/tokens.ts'
import { AuditRecord } from './audit/audit-record.ts'
import { Grants } from './audit/grants.ts'
import { SegmentRegister } from './audit/segment-register.ts'
import type { Addresses } from './blobs/address.ts'
import { BlobStores } from './blobs/blob-stores.ts'
import { FolderStore } from './blobs/folder-store.ts'
import type { MakeBytes } from './blobs/made-store.ts'
import type { ObjectStoreOptions } from './blobs/object-client.ts'
import { ObjectStore } from './blobs/object-store.ts'
import { FileCatalogue } from './catalogue/files.ts'
import { GeneModel } from './catalogue/genes.ts'
import { NotificationStore } from './catalogue/notifications.ts'
import type { StateCache } from './catalogue/state-cache.ts'
import { LoopTurns } from './concurrency/loop-turns.ts'
import type { Database } from './database/database.ts'
import { DiskSpace } from './disk-space.ts'
import type { Report } from './events.ts'
import type { Executor } from './executor.ts'
import { FolderName } from './folder-name.ts'
import { CheckStore } from './integrity/check-store.ts'
import { Integrity } from './integrity/integrity.ts'
import { WorkQueue } from './work/work-queue.ts'
import type { WorkTimes } from './work/worker.ts'

export interface SharedOptions {
  readonly dataFolder: string
  readonly executor: Executor
  /** Executor for jobs that take more than milliseconds. Defaults to `executor`. */
  readonly longExecutor?: Executor | undefined
  /** Executor for jobs with costly input, with limits on memory and time per job. Defaults to `executor`. */
  readonly boundedExecutor?: Executor | undefined
  readonly clock?: () => Date
  /** Object storage for new files. If undefined, they are stored in the data folder. */
  readonly objects?: ObjectStoreOptions | undefined
  /** Reads files at remote addresses, for imports. If undefined, no address can be read. */
  readonly addresses?: Addresses | undefined
  /** Generates the bytes of files that need not be stored. If undefined, there are no such files. */
  readonly makeBytes?: MakeBytes | undefined
  /** Which JWTs are accepted. If undefined, none are. */
  readonly jwt?: JwtRules | undefined
  /** Bytes that uploads, submissions and imports must leave free on the disk of the data folder. Defaults to 0. */
  readonly reserveBytes?: number | undefined
  /** Whether consent codes of controlled data must be met. By default they are only shown. */
  readonly enforcesConsent?: boolean | undefined
  readonly onEvent?: Report
  /** Life of the sessions of people who log in at an institution. If undefined, nobody can. */
  readonly sessionTimes?: SessionTimes | undefined
  /**
   * Keeps a record of who had which controlled data. Then controlled data are granted only within
   * `Grants.collect`, whose caller records them. If undefined, no record is kept.
   */
  readonly audit?: AuditOptions | undefined
  /** Intervals of background work. By default those for a service. */
  readonly workTimes?: Partial<WorkTimes> | undefined
}

/** Options of the audit record. */
export interface AuditOptions {
  /** Number of whole days to keep, besides the current one. 0 keeps all. */
  readonly days: number
}

/** Returns the folder of the audit record in a data folder. */
export const auditFolder = (dataFolder: string): string => join(dataFolder, 'audit')

/** Services of one data folder that all parts of the engine share: access, storage and execution. */
export class Shared {
  readonly dataFolder: string
  readonly executor: Executor
  readonly longExecutor: Executor
  readonly boundedExecutor: Executor
  readonly clock: () => Date
  readonly report: Report
  /** Database of tokens, keys, files, genes and notifications. @internal */
  readonly state: Database
  /** @internal */
  readonly cache: StateCache | undefined
  readonly tokens: TokenStore
  /** Sessions and own tokens of people. Undefined if nobody can log in; earlier ones are then not accepted. */
  readonly people:
    | {
        readonly sessions: SessionStore
        readonly tokens: PersonalTokenStore
        readonly claims: ClaimRightsReader
      }
    | undefined
  /** Rights of users who log in at an issuer. */
  readonly accessMap: AccessMap
  /** @internal */
  readonly claims: ClaimRightsReader
  /** Finds out who sent a request, by any kind of credential. */
  readonly credentials: Authenticator
  readonly keys: KeyStore
  /** @internal */
  readonly tickets: Tickets
  /** Collects what is granted while a request is answered. @internal */
  readonly grants: Grants
  /** Record of who had which controlled data. Undefined unless it is kept. @internal */
  readonly audit: AuditRecord | undefined
  /** @internal */
  readonly files: FileCatalogue
  /** @internal */
  readonly filesFolder: string
  /** @internal */
  readonly objects: ObjectStore | undefined
  /** @internal */
  readonly blobs: BlobStores
  /** @internal */
  readonly addresses: Addresses | undefined
  readonly genes: GeneModel
  readonly notifications: NotificationStore
  /** @internal */
  readonly space: DiskSpace
  /** Queue of background tasks. @internal */
  readonly work: WorkQueue
  /** @internal */
  readonly checks: CheckStore
  /** @internal */
  readonly integrity: Integrity
  /** Turns of the calling thread, for long work in steps. @internal */
  readonly turns = new LoopTurns()

  /**
   * @param state database of tokens, keys and files
   * @param cache cache of rows, for a database on a server
   */
  constructor(options: SharedOptions, state: Database, cache?: StateCache) {
    const { dataFolder, executor, clock = () => new Date(), objects } = options
    this.dataFolder = dataFolder
    this.executor = executor
    this.longExecutor = options.longExecutor ?? executor
    this.boundedExecutor = options.boundedExecutor ?? executor
    this.clock = clock
    this.report = options.onEvent ?? (() => {})
    this.state = state
    this.cache = cache
    this.tokens = new TokenStore(state, clock, cache)
    this.accessMap = new AccessMap(state, clock, cache)
    this.claims = new ClaimRightsReader(state, cache)
    const { report, claims: rights } = this
    const jwts =
      options.jwt && new JwtVerifier(options.jwt, { database: state, rights, clock, report, cache })
    this.people = options.sessionTimes && this.#openPeople(options.sessionTimes)
    const { people } = this
    this.credentials = new Credentials(
      [this.tokens, ...(people ? [people.sessions, people.tokens] : []), ...(jwts ? [jwts] : [])],
      options.enforcesConsent,
    )
    this.keys = new KeyStore(state, clock, cache, async (secret) => jwts?.callerOf(secret))
    this.tickets = new Tickets(state, clock)
    this.grants = new Grants(options.audit !== undefined)
    this.audit =
      options.audit &&
      new AuditRecord({
        root: auditFolder(dataFolder),
        register: new SegmentRegister(state, clock),
        clock,
        report: this.report,
        days: options.audit.days,
        turns: this.turns,
      })
    this.files = new FileCatalogue(state, cache)
    this.filesFolder = join(dataFolder, 'files')
    this.objects = objects && new ObjectStore(objects)
    this.space = new DiskSpace(dataFolder, options.reserveBytes)
    this.addresses = options.addresses
    const { makeBytes: make } = options
    const making = make && { make, space: this.space }
    this.blobs = new BlobStores(
      new FolderStore(this.filesFolder),
      this.objects,
      making,
      this.addresses,
    )
    this.genes = new GeneModel(state)
    this.notifications = new NotificationStore(state, clock)
    const folder = new FolderName(join(dataFolder, 'uploads'))
    this.work = new WorkQueue({
      database: state,
      clock: this.clock,
      report: this.report,
      times: options.workTimes,
      // An embedded database belongs to one folder, so its tasks need no name of a place.
      place: async () => (state.dialect === 'sqlite' ? '' : folder.read()),
    })
    this.checks = new CheckStore(state, clock)
    this.integrity = new Integrity({
      checks: this.checks,
      executor,
      onDamage: (fileId, cause) => {
        const message = 'a stored file is damaged: its bytes are not those on record'
        this.report({ level: 'error', message, fileId, cause })
      },
      onError: (fileId, cause) => {
        const message = 'what a look at the bytes of a file has shown cannot be written down'
        this.report({ level: 'warn', message, fileId, cause })
      },
    })
  }

  #openPeople(times: SessionTimes): NonNullable<Shared['people']> {
    const { state: database, clock, cache, claims: rights } = this
    const context = { database, clock, cache, rights }
    return {
      sessions: new SessionStore({ ...context, times }),
      tokens: new PersonalTokenStore(context),
      claims: rights,
    }
  }

  async close(): Promise<void> {
    await this.audit?.close()
    await this.objects?.close()
    await this.cache?.close()
    await this.state.close()
  }
}
