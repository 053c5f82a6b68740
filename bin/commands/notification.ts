import { Command, InvalidArgumentError } from 'commander'
import { COMPONENTS, LEVELS, type Notification } from '../../engine/shared/index.ts'
import { NotificationStore } from '../../engine/shared/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { repeated } from '../repeated-option.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill notification add|list|remove`. */
export function notificationCommand(terminal: Terminal): Command {
  return new Command('notification')
    .description('create a message to the users of the service')
    .addCommand(addCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(removeCommand(terminal))
}

interface AddOptions {
  readonly level: string
  readonly component: readonly string[]
  readonly until?: string
  readonly dismissible: boolean
}

function addCommand(terminal: Terminal): Command {
  return new Command('add')
    .description('add a notification, also on running servers; prints its id')
    .argument('<message>', 'one line of text')
    .requiredOption('--level <level>', `severity: ${LEVELS.join(', ')}`)
    .requiredOption(
      '--component <name>',
      `component that it concerns (can be repeated): ${COMPONENTS.join(', ')}`,
      repeated,
    )
    .option('--until <date>', 'last day (UTC) to show it, or an ISO 8601 time; by default no end')
    .option('--no-dismissible', 'readers cannot dismiss it')
    .action(async (message: string, options: AddOptions, command: Command) => {
      const { level, component: components, until, dismissible } = options
      const { id } = await withSharedState(command, { create: true }, (database) =>
        new NotificationStore(database, () => new Date()).add({
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

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('list all notifications, including expired ones')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: boolean }, command: Command) => {
      const notifications = await withSharedState(command, { create: false }, (database) =>
        new NotificationStore(database, () => new Date()).list(),
      )
      await terminal.write(
        json
          ? `${JSON.stringify(notifications, null, 2)}\n`
          : notificationTable(notifications, terminal.out.isTTY),
      )
    })
}

function removeCommand(terminal: Terminal): Command {
  return new Command('remove')
    .description('remove a notification')
    .argument('<id>', 'number that `casemill notification list` prints', wholeNumber)
    .action(async (id: number, _options: object, command: Command) => {
      await withSharedState(command, { create: false }, (database) =>
        new NotificationStore(database, () => new Date()).remove(id),
      )
      terminal.explain(`notification ${id} is removed`)
    })
}

function notificationTable(notifications: readonly Notification[], forPerson: boolean): string {
  return formatTable(
    ['id', 'level', 'components', 'start', 'end', 'dismissible', 'message'],
    notifications.map(({ id, level, components, startDate, endDate, dismissible, message }) => [
      String(id),
      level,
      components.join(' '),
      startDate,
      endDate ?? '-',
      dismissible ? 'yes' : 'no',
      message,
    ]),
    forPerson,
  )
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Give the number that list shows.')
  return Number(text)
}
