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
      'process one shard of a plan, as a task of a cluster; skips a complete shard; any number can run at the same time',
    )
    .argument(
      '[shard]',
      'I/N; by default SLURM_ARRAY_TASK_ID, from 1, or JOB_COMPLETION_INDEX, from 0',
    )
    .option('--plan <folder>', 'folder of the plan')
    .addOption(
      new Option(
        '--bucket <prefix>',
        'prefix in object storage that was given to casemill plan',
      ).conflicts('plan'),
    )
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
        terminal.explain(`shard ${number} of ${count}: ${kind.summary(shard.result)}${before}`)
      }),
    )
}

/** Returns the number of threads. A Slurm task may see all processors of its node, so its setting counts. */
function threads(): number {
  const given = Number(process.env.SLURM_CPUS_PER_TASK)
  return given >= 1 ? Math.min(given, availableParallelism()) : availableParallelism()
}
