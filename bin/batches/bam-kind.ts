import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { z } from 'zod'
import { proveBamApart } from '../../engine/commons/internal.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { bamFilesOf } from '../bam-files.ts'
import { withEngine } from '../data-engine.ts'
import { ImportReport } from '../import-report.ts'
import { startProgress } from '../progress.ts'
import { balanceFiles } from './balance-files.ts'
import type { JoinTask, Kind, ShardTask } from './kind.ts'
import { type Input, inputAt, inputOf, type Plan } from './plan.ts'
import type { Shard } from './shards.ts'

/** Default size of a shard, some minutes of work. */
const SHARD_BYTES = 32 * 2 ** 30

const Proved = z.strictObject({
  md5: z.string(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  identity: z.strictObject({ size: z.number(), modified: z.string(), inode: z.string() }),
  index: z.enum(['bai', 'csi']).nullable(),
  records: z.number(),
  warnings: z.array(z.string()).readonly(),
})

/** Result for each file: what has been verified, or a message about what is wrong. */
const Result = z.array(z.union([Proved, z.string()]))
type Result = z.infer<typeof Result>

const Rights = z.object({
  access: z.enum(['open', 'controlled']).optional(),
  project: z.string().optional(),
  link: z.boolean(),
})

interface Options {
  readonly access?: 'open' | 'controlled'
  readonly project?: string
  readonly link?: true
}

/** Stores BAM files like `casemill import bam`. */
export const BAM: Kind = {
  command: () =>
    new Command('bam')
      .description('divide the input of `casemill import bam` into shards')
      .argument('<files...>', 'BAM files, sorted by coordinate, and folders of them')
      .addOption(
        new Option('--access <access>', 'access, as for import bam').choices([
          'open',
          'controlled',
        ]),
      )
      .option('--project <id>', 'project whose members can read controlled files')
      .option('--link', 'store references to the files instead of copies'),
  shardBytes: SHARD_BYTES,
  prepare: async (paths, command) => {
    const files = await bamFilesOf(paths, (error) => {
      throw error
    })
    const inputs: Input[] = []
    for (const { path } of files) inputs.push(await inputAt(path))
    const { access, project, link = false } = command.opts<Options>()
    const rights = { ...(access ? { access } : {}), ...(project ? { project } : {}) }
    return { inputs, parameters: { ...rights, link } }
  },
  cut: async ({ inputs }, size) => {
    const total = inputs.reduce((sum, each) => sum + each.size, 0)
    return balanceFiles(inputs, 'shards' in size ? size.shards : Math.ceil(total / size.bytes))
  },
  run: proveFiles,
  // Modification time and inode number differ between copies.
  contentOf: (result) =>
    Result.parse(result).map((file) =>
      typeof file === 'string' ? file : { ...file, identity: file.identity.size },
    ),
  summary: (result) => {
    const files = Result.parse(result)
    const refused = files.filter((file) => typeof file === 'string').length
    const summary = files.length === 1 ? '1 file' : `${files.length} files`
    return refused === 0 ? summary : `${summary}, ${refused} of them cannot be stored`
  },
  join: storeFiles,
}

const placeOf = (folder: string, i: number) => join(folder, String(i + 1))

async function proveFiles(task: ShardTask): Promise<Result> {
  const { plan, pieces, folder, executor, terminal } = task
  const { signal } = terminal
  const { link } = Rights.parse(plan.parameters)
  const result: Result = []
  const total = pieces.reduce((sum, { end }) => sum + end, 0)
  const progress = startProgress(terminal, 'proving', total)
  try {
    for (const [i, { input, end }] of pieces.entries()) {
      const place = placeOf(folder, i)
      await mkdir(place)
      const what = { path: inputOf(plan, input).path, link, folder: place }
      const proved = await proveBamApart(what, { executor, signal })
      if (typeof proved === 'string') terminal.explain(`casemill: ${proved}`)
      result.push(proved)
      progress.advance(end)
    }
  } finally {
    progress.stop()
  }
  return result
}

/** Stores the files one by one, in the order of the plan. A failure is reported, the others are still stored. */
async function storeFiles({ plan, shards, command, output, terminal }: JoinTask): Promise<void> {
  if (output !== undefined) command.error('--out is for lines; for BAM files, give --data FOLDER')
  const files = shards.flatMap((shard, i) => filesOf(plan, shard, i))
  files.sort((a, b) => a.number - b.number)
  const { link, access, project } = Rights.parse(plan.parameters)
  const isOne = plan.inputs.length === 1
  const report = new ImportReport(terminal, { dryRun: false })
  await withEngine(command, { create: true }, async (engine) => {
    for (const { number, folder, proved } of files) {
      const { path, name } = inputOf(plan, number)
      if (typeof proved === 'string') {
        report.failed({ message: proved })
        continue
      }
      const what = { path, link, access, project, folder, proved }
      try {
        const imported = await engine.commons.importProvedBam(what, { signal: terminal.signal })
        report.stored(path, imported)
        const { id } = imported.file
        await terminal.write(isOne ? `${id}\n` : `${id}\t${name}\n`)
      } catch (error) {
        terminal.signal.throwIfAborted()
        if (!(error instanceof EngineError)) throw error
        report.failed(error)
      }
    }
  })
  report.end(!isOne)
}

/** Returns the files of a shard, each with its number among the inputs. */
function filesOf({ shards }: Plan, { folder, name, shard, result }: Shard, i: number) {
  const proved = Result.parse(result)
  const pieces = shards[i] ?? []
  if (proved.length !== pieces.length) {
    const message = `the marker in "${name}" belongs to other files; move it away, and run shard ${shard} again`
    throw new EngineError('conflict', message)
  }
  return proved.map((one, j) => ({
    number: pieces[j]?.input ?? 0,
    folder: placeOf(folder, j),
    proved: one,
  }))
}
