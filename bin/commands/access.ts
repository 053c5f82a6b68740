import { Command } from 'commander'
import {
  type ClaimValue,
  type MappedRights,
  type Mapping,
  PROJECT_ROLES,
  type Revoked,
  ROLES,
} from '../../engine/shared/index.ts'
import { AccessMap } from '../../engine/shared/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { repeated } from '../repeated-option.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill access map|unmap|list|revoke|restore`. */
export function accessCommand(terminal: Terminal): Command {
  return new Command('access')
    .description('map claims of issuers of JWTs to rights, and revoke subjects and tokens')
    .addCommand(mapCommand(terminal))
    .addCommand(unmapCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(revokeCommand(terminal))
    .addCommand(restoreCommand(terminal))
}

interface RightOptions extends ClaimValue {
  readonly project?: readonly string[]
  readonly admin?: boolean
  /** True without roles. */
  readonly registry?: readonly string[] | true
  readonly purpose?: readonly string[]
}

function mapCommand(terminal: Terminal): Command {
  return claimOptions('map', 'give rights to the users whose claim has a value')
    .option(
      '--project <id[:role,role...]>',
      'a right in a project (repeat for several); default roles: read,download; ' +
        `all roles: ${PROJECT_ROLES.join(', ')}`,
      repeated,
    )
    .option('--admin', 'the rights of an administrator, who can read everything')
    .option(
      '--registry [role...]',
      `the rights of a key of the registry, with roles: ${ROLES.join(', ')} (default: reading)`,
    )
    .option(
      '--purpose <code>',
      'purpose or accepted condition for data with consent codes (repeat for several): HMB, DS-MONDO:0004992, IRB',
      repeated,
    )
    .action(async (options: RightOptions, command: Command) => {
      await withMap(command, true, (map) => map.map(options, rightsOf(options)))
      terminal.explain(`mapped: ${describe(options)}`)
    })
}

function unmapCommand(terminal: Terminal): Command {
  return claimOptions('unmap', 'take rights from the users whose claim has a value; by default all')
    .option('--project <id>', 'only this project, with all roles (repeat for several)', repeated)
    .option('--admin', 'only the rights of an administrator')
    .option('--registry', 'only the rights in the registry')
    .option('--purpose <code>', 'only the purposes', repeated)
    .action(async (options: RightOptions, command: Command) => {
      await withMap(command, false, (map) => map.unmap(options, rightsOf(options)))
      terminal.explain(`no longer mapped: ${describe(options)}`)
    })
}

function claimOptions(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--issuer <url>', 'URL of the issuer, exactly as in the claim iss')
    .requiredOption(
      '--claim <name>',
      'name of the claim; inside others, such as realm_access.roles',
    )
    .requiredOption('--value <text>', 'value of the claim, or one of its values')
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('list what is mapped')
    .option('--revoked', 'list revoked subjects and tokens instead')
    .option('--json', 'print JSON')
    .action(async (options: { revoked?: boolean; json?: boolean }, command: Command) => {
      const [mappings, revoked] = await withMap(command, false, (map) =>
        Promise.all([map.list(), map.revoked()]),
      )
      const forPerson = terminal.out.isTTY
      const json = options.revoked ? revoked : mappings
      await terminal.write(
        options.json
          ? `${JSON.stringify(json, null, 2)}\n`
          : options.revoked
            ? revokedTable(revoked, forPerson)
            : mapTable(mappings, forPerson),
      )
    })
}

interface RevokedOptions {
  readonly issuer: string
  readonly subject?: string
  readonly token?: string
}

function revokeCommand(terminal: Terminal): Command {
  return revokedOptions(
    'revoke',
    'refuse a subject or a token at once, also on running servers',
  ).action(async (options: RevokedOptions, command: Command) => {
    const revoked = revokedOf(options, command)
    await withMap(command, true, (map) => map.revoke(revoked))
    terminal.explain(`${revoked.kind} ${revoked.name} of ${revoked.issuer} is revoked`)
  })
}

function restoreCommand(terminal: Terminal): Command {
  return revokedOptions('restore', 'accept a revoked subject or token again').action(
    async (options: RevokedOptions, command: Command) => {
      const revoked = revokedOf(options, command)
      await withMap(command, false, (map) => map.restore(revoked))
      terminal.explain(`${revoked.kind} ${revoked.name} of ${revoked.issuer} is accepted again`)
    },
  )
}

function revokedOptions(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--issuer <url>', 'URL of the issuer, exactly as in the claim iss')
    .option('--subject <sub>', 'claim sub of a user: all tokens of the user')
    .option('--token <id>', 'one token: its claim jti, or its id in records of access')
}

function revokedOf({ issuer, subject, token }: RevokedOptions, command: Command): Revoked {
  if (subject !== undefined && token === undefined)
    return { issuer, kind: 'subject', name: subject }
  if (token !== undefined && subject === undefined) return { issuer, kind: 'token', name: token }
  return command.error('give either --subject or --token')
}

function withMap<Result>(
  command: Command,
  create: boolean,
  use: (map: AccessMap) => Promise<Result>,
): Promise<Result> {
  return withSharedState(command, { create }, (database) =>
    use(new AccessMap(database, () => new Date())),
  )
}

function rightsOf({
  project: projects,
  admin,
  registry,
  purpose: purposes,
}: RightOptions): MappedRights {
  return { projects, admin, registry: registry === true ? [] : registry, purposes }
}

const describe = ({ issuer, claim, value }: ClaimValue) => `${claim} ${value} of ${issuer}`

function mapTable(mappings: readonly Mapping[], forPerson: boolean): string {
  const groups = Map.groupBy(mappings, ({ issuer, claim, value, kind, project }) =>
    JSON.stringify([issuer, claim, value, kind, project]),
  )
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { issuer, claim, value, kind, project } = first
    const roles = group.map(({ role }) => role).filter(Boolean)
    return [[issuer, claim, value, kind, project || '-', roles.join(',') || '-']]
  })
  return formatTable(['issuer', 'claim', 'value', 'right', 'project', 'roles'], rows, forPerson)
}

function revokedTable(
  revoked: readonly (Revoked & { readonly revokedAt: string })[],
  forPerson: boolean,
): string {
  return formatTable(
    ['issuer', 'kind', 'name', 'revoked'],
    revoked.map(({ issuer, kind, name, revokedAt }) => [issuer, kind, name, revokedAt]),
    forPerson,
  )
}
