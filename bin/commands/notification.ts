import { Command, InvalidArgumentError } from 'commander'
import { COMPONENTS, LEVELS, type Notification } from '../../engine/shared/index.ts'
import { NotificationStore } from '../../engine/shared/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill notification add|list|remove`. */
export function notificationCommand(
  terminal: Terminal,
  clock: () => Date = () => new Date(),
): Command {
  return new Command('notification')
    .description('tell the users of the service something')
    .addCommand(addCommand(terminal, clock))
    .addCommand(listCommand(terminal, clock))
    .addCommand(removeCommand(terminal, clock))
}

interface AddOptions {
  readonly level: string
  readonly component: readonly string[]
  readonly until?: string
  readonly dismissible: boolean
}

function addCommand(terminal: Terminal, clock: () => Date): Command {
  return new Command('add')
    .description('show a message from now on, also on servers that are running; prints its id')
    .argument('<message>', 'one line of text')
    .requiredOption('--level <level>', `how much it matters: ${LEVELS.join(', ')}`)
    .requiredOption(
      '--component <name>',
      `what it is about (repeat for several): ${COMPONENTS.join(', ')}`,
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--until <date>', 'last day (UTC) to show it, or an ISO 8601 time; without it: always')
    .option('--no-dismissible', 'readers cannot put it away')
    .action(async (message: string, options: AddOptions, command: Command) => {
      const { level, component: components, until, dismissible } = options
      const { id } = await withSharedState(command, { create: true }, (database) =>
        new NotificationStore(database, clock).add({
          level,
          components,
          message,
          dismissible,
          ...(until !== undefined && { until }),
        }),
      )
      await terminal.write(`${id}\n`)
    })
}

function listCommand(terminal: Terminal, clock: () => Date): Command {
  return new Command('list')
    .description('show all notifications, also those that are over')
    .option('--json', 'as JSON')
    .action(async ({ json }: { readonly json?: boolean }, command: Command) => {
      const notifications = await withSharedState(command, { create: false }, (database) =>
        new NotificationStore(database, clock).list(),
      )
      await terminal.write(
        json
          ? `${JSON.stringify(notifications, null, 2)}\n`
          : notificationTable(notifications, terminal.out.isTTY),
      )
    })
}

function removeCommand(terminal: Terminal, clock: () => Date): Command {
  return new Command('remove')
    .description('show a notification no longer')
    .argument('<id>', 'the number that list shows', wholeNumber)
    .action(async (id: number, _options: object, command: Command) => {
      await withSharedState(command, { create: false }, (database) =>
        new NotificationStore(database, clock).remove(id),
      )
      terminal.explain(`notification ${id} is removed`)
    })
}

function notificationTable(notifications: readonly Notification[], forPerson: boolean): string {
  return formatTable(
    ['id', 'level', 'components', 'start', 'end', 'dismissible', 'message'],
    notifications.map(({ id, level, components, startDate, endDate, dismissible, message }) => [
      ...[String(id), level, components.join(' '), startDate, endDate ?? '-'],
      ...[dismissible ? 'yes' : 'no', message],
    ]),
    forPerson,
  )
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Give the number that list shows.')
  return Number(text)
}
