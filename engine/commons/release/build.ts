import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { WrittenFile } from '../../shared/arrays/array-file.ts'
import { writeDurably } from '../../shared/durable.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { DATASET_NAMES, type DatasetName, type TableName } from '../datasets/define.ts'
import { type Associations, associationsJob } from './associations.ts'
import { type BuildControl, createControl, rowsDone, stopJob } from './build-control.ts'
import type { BitmapLimits } from './column-encoder.ts'
import { columnsJob } from './columns.ts'
import { copyFile, linkFile } from './copy-file.ts'
import type { EncodedDataset } from './dataset-encoder.ts'
import { documentsJob } from './document-writer.ts'
import {
  type DatasetLayout,
  type LinkLayout,
  RELEASE_FORMAT,
  type ReleaseManifest,
} from './layout.ts'
import { linkJob } from './link.ts'
import { MANIFEST_NAME, manifestText } from './manifest.ts'
import { placeRelease, type ReleaseFactsGiven, sorted } from './place-release.ts'
import { type Schema, schemaOf } from './schema.ts'
import type { WrittenFiles } from './written-files.ts'

export interface RetainedFile {
  readonly path: string
  readonly written: WrittenFile
}

/**
 * Writes additional files into the folder of a release that can already be opened. Existing files may be hard
 * links shared with another release, so never write to them; replace them.
 */
export type DeriveFiles = (folder: string) => Promise<WrittenFiles>

export interface BuildProgress {
  readonly phase: 'columns' | 'documents' | 'links' | 'associations'
  readonly dataset: TableName
  /** Number of rows done so far. */
  readonly rows: number
}

export interface BuildOptions {
  /** Path of the releases folder. */
  readonly folder: string
  /** NDJSON files of own documents, one per line, strictly ascending by id. */
  readonly sources: Partial<Record<DatasetName, string>>
  readonly facts: ReleaseFactsGiven
  /** Additional files of the release, keyed by their names in its folder. */
  readonly extras?: Readonly<Record<string, string>>
  /** Additional files that have already been verified. They are hard-linked where possible. */
  readonly retained?: Readonly<Record<string, RetainedFile>> | undefined
  /** Derives further files from the files that were built, before the release gets its name. */
  readonly derive?: DeriveFiles | undefined
  /** Which columns get bitmaps. By default those of large levels. */
  readonly bitmaps?: BitmapLimits | undefined
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined
}

/**
 * Builds a release. The release gets its name when it is complete and on disk. The next build removes what an
 * interrupted build left. Only one build per folder may run at a time.
 * @throws EngineError bad_input naming the dataset and the line; already_exists
 */
export function buildRelease(options: BuildOptions): Promise<ReleaseManifest> {
  return placeRelease(options, (temporary, id) => new Build(temporary, options).run(id))
}

const NOTHING: EncodedDataset = {
  rows: 0,
  levels: {},
  columns: {},
  links: {},
  printed: {},
  files: {},
}

/** Milliseconds between progress reports. */
const REPORT_MILLISECONDS = 200

/** Relative cost: writing documents takes about a third of the time of their columns. */
const DOCUMENTS_COST = 0.3

interface Task {
  readonly cost: number
  readonly run: () => Promise<void>
}

class Build {
  readonly #folder: string
  readonly #options: BuildOptions
  readonly #controls = new Map<BuildControl, Omit<BuildProgress, 'rows'>>()
  readonly #encoded = new Map<DatasetName, EncodedDataset>()
  readonly #documentRows = new Map<DatasetName, number>()
  readonly #links = new Map<DatasetName, Record<string, LinkLayout>>()
  #associations: Associations | undefined
  readonly #files: WrittenFiles = {}

  constructor(folder: string, options: BuildOptions) {
    this.#folder = folder
    this.#options = options
  }

  async run(id: string): Promise<ReleaseManifest> {
    const schemas = DATASET_NAMES.filter((name) => this.#options.sources[name]).map(schemaOf)
    const timer = setInterval(() => this.#report(), REPORT_MILLISECONDS)
    try {
      const tasks = await Promise.all(schemas.map((schema) => this.#tasksOf(schema)))
      await this.#all(tasks.flat())
      this.#compareRows()
      await this.#all(schemas.flatMap((schema) => this.#linkTasks(schema)))
      await this.#all([this.#associationTask()])
    } finally {
      clearInterval(timer)
    }
    await rm(join(this.#folder, '.foreign'), { recursive: true, force: true })
    for (const [name, path] of Object.entries(this.#options.extras ?? {})) {
      this.#files[name] = await copyFile(path, join(this.#folder, name))
    }
    for (const [name, { path, written }] of Object.entries(this.#options.retained ?? {})) {
      await linkFile(path, join(this.#folder, name), written)
      this.#files[name] = written
    }
    await this.#derive(id)
    return this.#manifest(id)
  }

  async #derive(id: string): Promise<void> {
    const { derive } = this.#options
    if (!derive) return
    await writeDurably(this.#folder, MANIFEST_NAME, manifestText(this.#manifest(id)))
    Object.assign(this.#files, await derive(this.#folder))
  }

  async #tasksOf(schema: Schema): Promise<Task[]> {
    const { dataset } = schema
    const source = this.#options.sources[dataset] as string
    const { size } = await stat(source).catch((cause: unknown) => {
      throw new EngineError('bad_input', `source of ${dataset} cannot be read`, {
        cause,
        at: dataset,
      })
    })
    const folder = this.#folder
    const { bitmaps } = this.#options
    return [
      {
        cost: size,
        run: () =>
          this.#job('columns', dataset, async (control, run) => {
            const encoded = await run(columnsJob, { schema, source, folder, control, bitmaps })
            this.#encoded.set(dataset, encoded)
            Object.assign(this.#files, encoded.files)
          }),
      },
      {
        cost: size * DOCUMENTS_COST,
        run: () =>
          this.#job('documents', dataset, async (control, run) => {
            const { rows, files } = await run(documentsJob, { dataset, source, folder, control })
            this.#documentRows.set(dataset, rows)
            Object.assign(this.#files, files)
          }),
      },
    ]
  }

  #linkTasks({ dataset, links }: Schema): Task[] {
    const encoded = this.#encoded.get(dataset) ?? NOTHING
    return links
      .filter(({ at }) => Object.hasOwn(encoded.links, at))
      .map(({ at, level, dataset: other }) => ({
        cost: encoded.links[at] ?? 0,
        run: () =>
          this.#job('links', dataset, async (_, run) => {
            const target = {
              dataset: other,
              idField: schemaOf(other).idField,
              rows: this.#encoded.get(other)?.rows ?? 0,
            }
            const written = await run(linkJob, { folder: this.#folder, dataset, at, target })
            Object.assign(this.#files, written.files)
            const layouts = this.#links.get(dataset) ?? {}
            layouts[at] = { level, dataset: other, dangling: written.dangling }
            this.#links.set(dataset, layouts)
          }),
      }))
  }

  #associationTask(): Task {
    return {
      cost: 1,
      run: () =>
        this.#job('associations', 'case_genes', async (_, run) => {
          const input = { folder: this.#folder, datasets: this.#layouts() }
          const { associations, files } = await run(associationsJob, input)
          this.#associations = associations
          Object.assign(this.#files, files)
        }),
    }
  }

  async #job(
    phase: BuildProgress['phase'],
    dataset: TableName,
    work: (control: BuildControl, run: Executor['run']) => Promise<void>,
  ): Promise<void> {
    const { executor, signal } = this.#options
    const control = createControl()
    this.#controls.set(control, { phase, dataset })
    const run: Executor['run'] = (job, input) => executor.run(job, input, { signal })
    const stop = () => stopJob(control)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      await work(control, run)
    } catch (error) {
      throw error instanceof EngineError && error.code === 'bad_input'
        ? new EngineError('bad_input', `${dataset}: ${error.message}`, {
            cause: error,
            at: dataset,
          })
        : error
    } finally {
      signal?.removeEventListener('abort', stop)
    }
    this.#report()
  }

  /**
   * Runs the longest tasks first, so that threads finish at about the same time. The first failure stops all
   * other tasks.
   */
  async #all(tasks: readonly Task[]): Promise<void> {
    const failures: unknown[] = []
    const byCost = [...tasks].sort((a, b) => b.cost - a.cost)
    await Promise.all(
      byCost.map(async ({ run }) => {
        if (failures.length > 0) return
        await run().catch((error: unknown) => {
          failures.push(error)
          for (const control of this.#controls.keys()) stopJob(control)
        })
      }),
    )
    this.#options.signal?.throwIfAborted()
    if (failures.length > 0) throw failures[0]
  }

  #report(): void {
    for (const [control, { phase, dataset }] of this.#controls) {
      this.#options.onProgress?.({ phase, dataset, rows: rowsDone(control) })
    }
  }

  #compareRows(): void {
    for (const [dataset, { rows }] of this.#encoded) {
      if (this.#documentRows.get(dataset) !== rows) {
        throw new EngineError('conflict', `source of ${dataset} changed while it was read`)
      }
    }
  }

  #layouts(): Record<DatasetName, DatasetLayout> {
    const layouts = DATASET_NAMES.map((name): [DatasetName, DatasetLayout] => {
      const { rows, levels, columns, printed } = this.#encoded.get(name) ?? NOTHING
      const links = sorted(this.#links.get(name) ?? {})
      return [name, { rows, levels, columns, links, printed }]
    })
    return Object.fromEntries(layouts) as Record<DatasetName, DatasetLayout>
  }

  #manifest(id: string): ReleaseManifest {
    const { dataRelease, version, earlierReleases, createdAt } = this.#options.facts
    return {
      format: RELEASE_FORMAT,
      id,
      dataRelease,
      version,
      ...(earlierReleases && { earlierReleases }),
      createdAt,
      datasets: this.#layouts(),
      ...(this.#associations && { associations: this.#associations }),
      files: sorted(this.#files),
    }
  }
}
