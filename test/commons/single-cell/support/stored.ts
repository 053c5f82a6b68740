import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { genePaths } from '../../../../engine/commons/analysis/single-cell/gene-file.ts'
import { type Engine, type EngineOptions, openEngine } from '../../../../engine/index.ts'
import type { EngineEvent, Executor } from '../../../../engine/shared/index.ts'
import type { Issue } from '../../../../engine/shared/issue.ts'
import { ThreadPool } from '../../../../workers/pool.ts'

interface GivenFile {
  readonly id: string
  readonly name: string
  readonly bytes: Buffer
}

export interface StoredWorld {
  readonly engine: Engine
  /** The folder from which files are imported. */
  readonly from: string
  /** The names of the jobs that ran since the list was cleared. */
  readonly jobs: string[]
  readonly events: EngineEvent[]
  import(files: readonly GivenFile[], how?: { readonly link?: boolean }): Promise<readonly string[]>
  /** Returns the whole answer. */
  ask(fileId: string, geneIds: readonly string[]): Promise<Buffer>
  paths(fileId: string): { readonly numbers: string; readonly directory: string }
  issues(): Promise<readonly Issue[]>
  close(): Promise<void>
}

export const idOf = (number: number) =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** An engine over an empty data folder, with the given threads or new ones. */
export async function openStored({
  threads,
  ...options
}: Partial<Pick<EngineOptions, 'objects'>> & { threads?: ThreadPool } = {}): Promise<StoredWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-genes-'))
  const [from, dataFolder] = [join(folder, 'from'), join(folder, 'data')]
  await mkdir(from)
  const pool = threads ?? new ThreadPool({ threads: 2 })
  const jobs: string[] = []
  const executor: Executor = {
    get parallelism() {
      return pool.parallelism
    },
    run(job, input, run) {
      jobs.push(job.name)
      return pool.run(job, input, run)
    },
  }
  const events: EngineEvent[] = []
  const onEvent = (event: EngineEvent) => void events.push(event)
  const engine = await openEngine({ dataFolder, executor, onEvent, ...options })
  engine.startWork()
  const paths = (id: string) => genePaths(engine.shared.blobs.folder, id)
  return {
    engine,
    from,
    jobs,
    events,
    paths,
    async import(files, { link = false } = {}) {
      const rows = ['id\tfilename\tmd5\tsize']
      for (const { id, name, bytes } of files) {
        await mkdir(dirname(join(from, name)), { recursive: true })
        await writeFile(join(from, name), bytes)
        const md5 = createHash('md5').update(bytes).digest('hex')
        rows.push([id, name, md5, bytes.length].join('\t'))
      }
      const manifest = join(folder, 'manifest.txt')
      await writeFile(manifest, `${rows.join('\n')}\n`)
      const told: string[] = []
      const tell = ({ problem }: Issue) => void told.push(problem)
      const what = { manifest, from, link, access: 'open' } as const
      await engine.commons.importFiles(what, { onIssue: tell, onNote: tell })
      return told
    },
    async ask(fileId, geneIds) {
      await using answer = await engine.commons.singleCell.expression({
        caseId: undefined,
        fileId,
        geneIds,
        token: undefined,
      })
      return await buffer(answer.body)
    },
    async issues() {
      const found: Issue[] = []
      for await (const issue of engine.check({ isDeep: true })) found.push(issue)
      return found
    },
    async close() {
      await engine.close()
      if (!threads) await pool.close()
      await rm(folder, { recursive: true })
    },
  }
}

interface Element {
  readonly cells: readonly { readonly cell_id: string; readonly value: number }[]
}

/** The numbers of each gene in an answer. */
export function numbersOf(answer: Buffer): readonly (readonly number[])[] {
  const { data } = JSON.parse(answer.toString()) as { readonly data: readonly Element[] }
  return data.map(({ cells }) => cells.map(({ value }) => value))
}
