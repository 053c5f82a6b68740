import { Command } from 'commander'
import { type KeySummary, ROLES } from '../../engine/shared/index.ts'
import { KeyStore } from '../../engine/shared/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill key create|list|revoke`. */
export function keyCommand(terminal: Terminal): Command {
  return new Command('key')
    .description("make, show and end keys of the registry's interface")
    .addCommand(createCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(revokeCommand(terminal))
}

interface CreateOptions {
  readonly role?: readonly string[]
  readonly user?: string
}

function createCommand(terminal: Terminal): Command {
  return new Command('create')
    .description(
      'create a key for the registry interface; prints its secret, which is shown only once',
    )
    .option('--role <role...>', `roles beyond reading: ${ROLES.join(', ')} (default: nothing)`)
    .option('--user <name>', "name that histories show (default: the key's id)")
    .action(async ({ role: roles, user }: CreateOptions, command: Command) => {
      const { secret, summary } = await withSharedState(
        command,
        { create: true },
        async (database) => {
          const keys = new KeyStore(database, () => new Date())
          const { id, secret } = await keys.create({
            ...(roles && { roles }),
            ...(user && { user }),
          })
          return { secret, summary: (await keys.list()).find((key) => key.id === id) }
        },
      )
      if (summary) terminal.explain(`key ${describe(summary)}`)
      await terminal.write(`${secret}\n`)
    })
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('list all keys, without their secrets')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: boolean }, command: Command) => {
      const keys = await withSharedState(command, { create: false }, (database) =>
        new KeyStore(database, () => new Date()).list(),
      )
      await terminal.write(
        json ? `${JSON.stringify(keys, null, 2)}\n` : keyTable(keys, terminal.out.isTTY),
      )
    })
}

function revokeCommand(terminal: Terminal): Command {
  return new Command('revoke')
    .description('revoke a key at once, also on running servers')
    .argument('<id>', 'id that `casemill key list` prints: the part of the secret before "_"')
    .action(async (id: string, _options: object, command: Command) => {
      await withSharedState(command, { create: false }, (database) =>
        new KeyStore(database, () => new Date()).revoke(id),
      )
      terminal.explain(`key ${id} is revoked`)
    })
}

function describe({ id, user, roles }: KeySummary): string {
  return `${id} of ${user}, roles: ${roles.join(' ') || 'none, it reads and stages'}`
}

function keyTable(keys: readonly KeySummary[], forPerson: boolean): string {
  return formatTable(
    ['id', 'user', 'created', 'revoked', 'roles'],
    keys.map(({ id, user, createdAt, revokedAt, roles }) => [
      id,
      user,
      createdAt,
      revokedAt ?? '-',
      roles.join(' ') || '-',
    ]),
    forPerson,
  )
}
