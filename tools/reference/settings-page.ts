import { type DescribedSetting, describeSettings } from '../../server/config.ts'
import { cell, MADE, table } from './markdown.ts'

const INTRODUCTION = `# Settings

${MADE}

Each setting is a variable of the environment. \`serve\` has options for a few of them, and an option wins over its
variable. \`serve --print-config\` prints all settings as they are. \`serve\` refuses other variables that start with
\`CASEMILL_\`, so that you notice a mistyped one.

Commands other than \`serve\` take \`CASEMILL_DATA\`, \`CASEMILL_STATE_URL\`, \`CASEMILL_STATE_MIGRATE\`,
\`CASEMILL_DICTIONARY\`, \`CASEMILL_RESERVE_BYTES\`, \`CASEMILL_GROUP_READ\` and the settings of object storage, too.
\`casemill get\` takes its token from \`CASEMILL_TOKEN\`. Credentials of object storage come from
\`AWS_ACCESS_KEY_ID\` and \`AWS_SECRET_ACCESS_KEY\`, or from whatever else the client library of the storage knows.

With several processes, each lets an equal share of rates and concurrent requests pass. A client on one connection has
that share alone. [Limits](limits.md) lists all other bounds.
`

/** The reference of the settings, from the schema that reads them. */
export function settingsPage(): string {
  const rows = describeSettings().map(({ variable, accepted, fallback, meaning }) => [
    `\`${variable}\``,
    cell(meaning),
    cell(accepted),
    shown(fallback),
  ])
  return [INTRODUCTION, table(['Variable', 'Meaning', 'Accepted', 'Default'], rows)].join('\n')
}

function shown(fallback: DescribedSetting['fallback']): string {
  return fallback === null ? 'not set' : `\`${fallback}\``
}
