import { Command, Option } from 'commander'
import { type BatchOptions, withPlan } from '../batches/batch-bucket.ts'
import { kindNamed } from '../batches/kinds.ts'
import { allShards } from '../batches/shards.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends BatchOptions {
  readonly out?: string
}

/** Command `casemill join --plan FOLDER`. */
export function joinCommand(terminal: Terminal): Command {
  return new Command('join')
    .description(
      'combine the results of all shards of a plan; deletes nothing; exit status 1 if some input is not accepted',
    )
    .option('--plan <folder>', 'folder of the plan')
    .addOption(
      new Option(
        '--bucket <prefix>',
        'prefix in object storage that was given to casemill plan',
      ).conflicts('plan'),
    )
    .option('-o, --out <file>', 'output file; by default standard output')
    .action(({ out, ...options }: Options, command: Command) =>
      withPlan(command, options, terminal.signal, async (plan, bucket) => {
        await bucket?.bringMarkers()
        const kind = kindNamed(plan.kind)
        const shards = await allShards(plan, kind.contentOf)
        await bucket?.bringContents(shards)
        await kind.join({ plan, shards, command, output: out, terminal })
      }),
    )
}
