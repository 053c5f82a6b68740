import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Commons } from '../commons/commons.ts'
import type { Database } from '../shared/database/database.ts'
import { databasePath } from '../shared/database/open.ts'
import { EngineError } from '../shared/errors.ts'
import type { Issue } from '../shared/issue.ts'
import type { Shared } from '../shared/shared.ts'
import { checkDictionary, checkOwners } from './check.ts'
import { LoadedDictionary } from './dictionary/loaded-dictionary.ts'
import { SubmissionExport } from './export/submission-export.ts'
import { SubmissionFiles } from './files/submission-files.ts'
import { SubmittedGraph } from './graphql/submitted-graph.ts'
import { Owners } from './publish/owners.ts'
import { type DerivingContext, recordOwners } from './publish/recorded-owners.ts'
import { Releasing } from './publish/releasing.ts'
import { Submission } from './transactions/submission.ts'

interface SubmissionsOptions {
  readonly database: Database
  /** Folder of a custom dictionary. By default, the built-in dictionary is used. */
  readonly dictionaryFolder?: string | undefined
  /** Whether no other server uses the database. */
  readonly isAlone: boolean
}

/** Submissions to the projects of a data folder, up to their release. */
export class Submissions {
  readonly tokens: Shared['tokens']
  readonly credentials: Shared['credentials']
  readonly people: Shared['people']
  /** @internal */
  readonly database: Database
  readonly dictionary: LoadedDictionary
  readonly transactions: Submission
  readonly files: SubmissionFiles
  readonly export: SubmissionExport
  readonly graph: SubmittedGraph
  readonly releasing: Releasing
  readonly #shared: Shared
  readonly #commons: Commons
  readonly #isAlone: boolean

  constructor(shared: Shared, commons: Commons, options: SubmissionsOptions) {
    const { dataFolder, executor, longExecutor, clock, files, blobs, space, turns, report } = shared
    const { database, isAlone } = options
    const dictionary = new LoadedDictionary(executor, options.dictionaryFolder)
    this.#shared = shared
    this.#commons = commons
    this.#isAlone = isAlone
    this.tokens = shared.tokens
    this.credentials = shared.credentials
    this.people = shared.people
    this.database = database
    this.dictionary = dictionary
    this.transactions = new Submission({
      database,
      dictionary,
      clock,
      executor: longExecutor,
      turns,
      // A remote database takes no space on this disk, so none is guarded.
      ...(database.dialect === 'sqlite' && { space }),
      onError: (cause, transactionId) => {
        const message = `transaction ${transactionId} did not end by itself`
        report({ level: 'error', message, cause })
      },
    })
    this.files = new SubmissionFiles({
      database,
      dictionary,
      clock,
      executor,
      boundedExecutor: shared.boundedExecutor,
      files,
      blobs,
      folder: join(dataFolder, 'uploads'),
      // An embedded database is used by one server only, so uploads need no bucket.
      ...(database.dialect !== 'sqlite' && { bucket: shared.objects }),
      space,
      isReleased: (id) => commons.isReleased(id),
      onError: (cause, fileId) => {
        const message = 'an uploaded file cannot be finished now'
        report({ level: 'error', message, fileId, cause })
      },
    })
    this.releasing = new Releasing({
      database,
      dictionary,
      dataFolder,
      executor,
      clock,
      files,
      blobs,
      releases: commons.releases,
      space,
      recordOwners: () => this.recordOwners(),
    })
    this.export = new SubmissionExport({
      database,
      dictionary,
      temporaryFolder: dataFolder,
      audit: shared.audit,
      grants: shared.grants,
      space,
      turns,
    })
    this.graph = new SubmittedGraph({ database, dictionary, executor: longExecutor, turns })
  }

  /** Records owners of files that were stored before owners were recorded. One statement if there are none. */
  async recordOwners(): Promise<void> {
    const { report } = this.#shared
    try {
      const unknown = await recordOwners(this.#deriving())
      if (unknown === 0) return
      const message = `nobody can be named who stored ${unknown} files; casemill check lists them`
      report({ level: 'warn', message })
    } catch (cause) {
      // Files without an owner stay readable as before.
      if (!(cause instanceof EngineError)) throw cause
      const message = 'it cannot be found out now who stored some files'
      report({ level: 'error', message, cause })
    }
  }

  #deriving(): DerivingContext {
    const { files, dataFolder } = this.#shared
    const { releases } = this.#commons
    const { database } = this
    const isThere = database.dialect !== 'sqlite' || existsSync(databasePath(dataFolder))
    return {
      files,
      database: isThere ? database : undefined,
      async openOwners() {
        const id = await releases.current()
        return Owners.open(id === undefined ? undefined : releases.folder(id))
      },
    }
  }

  /** Checks the dictionary and the owners of files, and yields problems. */
  async *check(): AsyncGenerator<Issue> {
    yield* checkDictionary(this.dictionary)
    yield* checkOwners(this.#deriving())
  }

  /**
   * Loads a custom dictionary, so that its errors show at the start. The built-in dictionary is loaded on first
   * use.
   * @throws EngineError like Dictionary.load
   */
  async start(): Promise<void> {
    if (this.dictionary.isReplaced) await this.dictionary.current()
  }

  /**
   * Recovers after servers have died. If the database is embedded, no other server may use the data folder
   * (`takeFolder`). Bytes are removed first, because they may have filled the disk.
   */
  async recover(): Promise<void> {
    const isAlone = this.#isAlone
    await this.recordOwners()
    await this.files.start({ isAlone })
    await this.transactions.start({ isAlone })
  }

  async close(): Promise<void> {
    await this.files.close()
    await this.transactions.close()
    await this.database.close()
  }
}
