import { Command, InvalidArgumentError } from 'commander'
import { PROJECT_ROLES, type TokenSummary } from '../../engine/shared/index.ts'
import { TokenStore } from '../../engine/shared/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { repeated } from '../repeated-option.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill token create|list|revoke`. */
export function tokenCommand(terminal: Terminal): Command {
  return new Command('token')
    .description('make, show and end access tokens')
    .addCommand(createCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(revokeCommand(terminal))
}

interface CreateOptions {
  readonly user: string
  readonly project?: readonly string[]
  readonly admin?: boolean
  readonly expires?: number
  readonly purpose?: readonly string[]
}

function createCommand(terminal: Terminal): Command {
  return new Command('create')
    .description(
      'create a token for the data commons and submission; prints its secret, which is shown only once',
    )
    .requiredOption('--user <name>', 'owner of the token; a new name creates a user')
    .option(
      '--project <id[:role,role...]>',
      "set the user's projects to this one (repeat for several); default roles: read,download; " +
        `all roles: ${PROJECT_ROLES.join(', ')}`,
      repeated,
    )
    .option('--admin', 'make the user an administrator, who can read everything')
    .option('--no-admin', "remove the user's administrator rights")
    .option(
      '--purpose <code>',
      'purpose of the use, or condition that the user accepts, by the Data Use Ontology (repeat for several): ' +
        'HMB, DS-MONDO:0004992, IRB',
      repeated,
    )
    .option('--expires <days>', 'days until the token expires (default: 30)', wholeNumber)
    .action(async (options: CreateOptions, command: Command) => {
      const { user, project: projects, admin, expires: expiresDays, purpose: purposes } = options
      const { secret, summary } = await withSharedState(
        command,
        { create: true },
        async (database) => {
          const tokens = new TokenStore(database, () => new Date())
          const { id, secret } = await tokens.create({
            user,
            ...(projects && { projects }),
            ...(purposes && { purposes }),
            ...(admin !== undefined && { admin }),
            ...(expiresDays !== undefined && { expiresDays }),
          })
          return { secret, summary: (await tokens.list()).find((token) => token.id === id) }
        },
      )
      if (summary) terminal.explain(`token ${describe(summary)}`)
      await terminal.write(`${secret}\n`)
    })
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('list all tokens, without their secrets')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: boolean }, command: Command) => {
      const tokens = await withSharedState(command, { create: false }, (database) =>
        new TokenStore(database, () => new Date()).list(),
      )
      await terminal.write(
        json ? `${JSON.stringify(tokens, null, 2)}\n` : tokenTable(tokens, terminal.out.isTTY),
      )
    })
}

function revokeCommand(terminal: Terminal): Command {
  return new Command('revoke')
    .description('revoke a token at once, also on running servers')
    .argument('<id>', 'id that `casemill token list` prints: the part of the secret before "_"')
    .action(async (id: string, _options: object, command: Command) => {
      await withSharedState(command, { create: false }, (database) =>
        new TokenStore(database, () => new Date()).revoke(id),
      )
      terminal.explain(`token ${id} is revoked`)
    })
}

function describe({ id, user, expiresAt, admin, projects, purposes }: TokenSummary): string {
  const rights = [...(admin ? ['administrator'] : []), ...projects].join(' ')
  const stated = purposes.length > 0 ? `, purposes: ${purposes.join(', ')}` : ''
  return `${id} of ${user} until ${expiresAt}, rights: ${rights || 'none beyond open files'}${stated}`
}

function tokenTable(tokens: readonly TokenSummary[], forPerson: boolean): string {
  return formatTable(
    ['id', 'user', 'created', 'expires', 'revoked', 'admin', 'projects'],
    tokens.map(({ id, user, createdAt, expiresAt, revokedAt, admin, projects }) => [
      id,
      user,
      createdAt,
      expiresAt,
      revokedAt ?? '-',
      admin ? 'yes' : 'no',
      projects.join(' ') || '-',
    ]),
    forPerson,
  )
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Give a whole number of days.')
  return Number(text)
}
