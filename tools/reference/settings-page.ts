import { type DescribedSetting, describeSettings } from '../../server/config.ts'
import { cell, MADE, table } from './markdown.ts'

const INTRODUCTION = `# Settings

${MADE}

Each setting is an environment variable. \`serve\` has options for some of them, which override the variable.
\`serve --print-config\` prints all current settings. \`serve\` refuses unknown variables that start with \`CASEMILL_\`,
so that spelling mistakes are found.

Other commands also read \`CASEMILL_DATA\`, \`CASEMILL_STATE_URL\`, \`CASEMILL_STATE_MIGRATE\`,
\`CASEMILL_DICTIONARY\`, \`CASEMILL_RESERVE_BYTES\`, \`CASEMILL_GROUP_READ\` and the settings of object storage.
\`casemill get\` reads its token from \`CASEMILL_TOKEN\`. Credentials of object storage come from
\`AWS_ACCESS_KEY_ID\` and \`AWS_SECRET_ACCESS_KEY\`, or from any other source that the AWS client library reads.

With several processes, each process allows an equal share of the rate and of the concurrent requests. A client that
uses one connection gets only that share. [Limits](limits.md) lists all other limits.
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
