import { Command, InvalidArgumentError, Option } from 'commander'
import { EngineError } from '../../engine/shared/index.ts'
import { withBatchBucket } from '../batches/batch-bucket.ts'
import type { Kind, ShardSize } from '../batches/kind.ts'
import { KINDS } from '../batches/kinds.ts'
import { type Input, MAX_SHARDS, writePlan } from '../batches/plan.ts'
import type { Terminal } from '../terminal.ts'

interface Options {
  readonly out?: string
  readonly bucket?: string
  readonly shards?: number
  readonly bytes: number
  readonly lines?: number
}

/** Command `casemill plan KIND INPUT... --out FOLDER`. */
export function planCommand(terminal: Terminal): Command {
  const group = new Command('plan').description(
    'cut work into shards that the tasks of a cluster do with casemill shard',
  )
  for (const [name, kind] of Object.entries(KINDS))
    group.addCommand(kindCommand(name, kind, terminal))
  return group
}

function kindCommand(name: string, kind: Kind, terminal: Terminal): Command {
  const command = kind
    .command()
    .option('--out <folder>', 'new folder for the plan and shards, shared by all tasks')
    .addOption(
      new Option(
        '--bucket <prefix>',
        'prefix in object storage for the plan and shards, instead of a folder',
      ).conflicts('out'),
    )
    .addOption(
      sizeOption('--shards <number>', 'maximum number of shards').conflicts(['bytes', 'lines']),
    )
    .addOption(sizeOption('--bytes <number>', 'bytes per shard').default(kind.shardBytes))
  if (kind.bytesOfLine) {
    command.addOption(
      sizeOption('--lines <number>', 'approximate number of lines per shard').conflicts('bytes'),
    )
  }
  return command.action(async (paths: string[], options: Options, called: Command) => {
    const place = options.bucket ?? options.out
    if (place === undefined) return called.error('give --out FOLDER, or --bucket PREFIX')
    const prepared = await kind.prepare(paths, called, terminal)
    const { inputs, parameters, text } = prepared
    const shards = await kind.cut(prepared, await sizeOf(options, kind, inputs), terminal)
    if (shards.length > MAX_SHARDS) {
      const message = `the plan would have ${shards.length} shards, but the limit is ${MAX_SHARDS}; choose larger shards`
      throw new EngineError('too_many', message)
    }
    const plan = { kind: name, parameters, inputs, shards }
    const isNew =
      options.bucket === undefined
        ? await writePlan(place, plan, text)
        : await withBatchBucket(place, terminal.signal, (bucket) => bucket.sendPlan(plan, text))
    if (!isNew) terminal.explain(`casemill: ${place} already has this plan`)
    await terminal.write(`${shards.length}\n`)
  })
}

async function sizeOf(
  { shards, bytes, lines }: Options,
  kind: Kind,
  inputs: readonly Input[],
): Promise<ShardSize> {
  if (shards !== undefined) return { shards }
  if (lines === undefined || !kind.bytesOfLine) return { bytes }
  return { bytes: Math.ceil(lines * (await kind.bytesOfLine(inputs))) }
}

function sizeOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
    throw new InvalidArgumentError('Give a whole number from 1.')
  })
}
