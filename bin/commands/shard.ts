import { availableParallelism } from 'node:os'
import { Command, Option } from 'commander'
import { type BatchOptions, withPlan } from '../batches/batch-bucket.ts'
import { kindNamed } from '../batches/kinds.ts'
import { shardNumber } from '../batches/shard-number.ts'
import { makeShard } from '../batches/shards.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

/** Command `casemill shard I/N --plan FOLDER`. */
export function shardCommand(terminal: Terminal): Command {
  return new Command('shard')
    .description(
      'do one shard of a plan, unless it was done before; any number run at the same time',
    )
    .argument(
      '[shard]',
      'I/N; left out, SLURM_ARRAY_TASK_ID from 1, or JOB_COMPLETION_INDEX from 0',
    )
    .option('--plan <folder>', 'folder that casemill plan made')
    .addOption(new Option('--bucket <prefix>', 'that casemill plan was given').conflicts('plan'))
    .action((given: string | undefined, options: BatchOptions, command: Command) =>
      withPlan(command, options, terminal.signal, async (plan, bucket) => {
        const count = plan.shards.length
        const number = shardNumber(given, process.env, count)
        if (number === undefined) {
          return command.error(`give a shard from 1/${count} to ${count}/${count}`)
        }
        const kind = kindNamed(plan.kind)
        const pieces = plan.shards[number - 1] ?? []
        await bucket?.bringMarker(number)
        const shard = await makeShard(plan, number, (folder) =>
          withThreads(
            (executor) => kind.run({ plan, pieces, folder, executor, terminal }),
            threads(),
          ),
        )
        if (!shard.isKnown) await bucket?.sendShard(shard)
        const before = shard.isKnown ? ', was done before' : ''
        terminal.explain(`shard ${number} of ${count}: ${kind.told(shard.result)}${before}`)
      }),
    )
}

/**
 * Returns the number of threads. A Slurm task may see all processors of its node, so its own setting takes
 * precedence.
 */
function threads(): number {
  const given = Number(process.env.SLURM_CPUS_PER_TASK)
  return given >= 1 ? Math.min(given, availableParallelism()) : availableParallelism()
}
