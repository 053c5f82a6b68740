import { open, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { z } from 'zod'
import { EngineError } from '../../engine/shared/index.ts'
import { repeated } from '../repeated-option.ts'
import { serverUrl, wholeNumber } from '../server-access.ts'
import type { Terminal } from '../terminal.ts'

interface Options {
  readonly server: URL
  readonly name?: string
  readonly days: number
  readonly project?: readonly string[]
  readonly write?: boolean
  readonly out?: string
}

/** Milliseconds that one request may take. The server asks the institution meanwhile. */
const REQUEST_MS = 30_000
/** Seconds to add to the interval when the institution asks for it (RFC 8628 3.5). */
const SLOWER_SECONDS = 5
/** Seconds between two requests that an institution can ask for at most. */
const MAX_INTERVAL = 60

const Begun = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  expires_in: z.number().min(1).max(86_400),
  interval: z.number().min(0).max(MAX_INTERVAL),
})
const Waiting = z.object({ status: z.enum(['pending', 'slow_down']) })
const Made = z.object({ token: z.string().regex(/^[\x21-\x7e]+$/), expires_datetime: z.string() })
const Failed = z.object({ message: z.string() })

/** Command `casemill login --server URL`. */
export function loginCommand(terminal: Terminal): Command {
  return new Command('login')
    .description(
      'log in at the institution of a server, in any browser, and get a token for `casemill get` and others',
    )
    .requiredOption('--server <url>', 'URL of the server', serverUrl)
    .option('--name <name>', 'name by which your list of tokens shows it; by default, this host')
    .option('--days <days>', 'days until the token expires', wholeNumber(365), 30)
    .option('--project <id>', 'limit the token to this project (repeat for several)', repeated)
    .option('--write', 'a token that can also submit and change; by default, it can only read')
    .option('-o, --out <file>', 'new file for the token; by default, it is printed')
    .action((options: Options) => logIn(options, terminal))
}

async function logIn(options: Options, terminal: Terminal): Promise<void> {
  const { server, out } = options
  // Opened first, because the token cannot be read a second time.
  const file = out === undefined ? undefined : await open(out, 'wx', 0o600)
  try {
    const begun = Begun.parse(await post(server, 'auth/device', undefined, terminal.signal))
    terminal.explain(`open ${shown(begun.verification_uri_complete ?? begun.verification_uri)}`)
    terminal.explain(`and compare or enter the code ${shown(begun.user_code)}`)
    const { token, expires_datetime: until } = await waitForToken(begun, options, terminal.signal)
    terminal.explain(`logged in; the token expires ${shown(until)}`)
    if (file) await file.writeFile(`${token}\n`)
    else await terminal.write(`${token}\n`)
  } catch (cause) {
    if (out !== undefined) await rm(out, { force: true })
    if (!(cause instanceof z.ZodError)) throw cause
    throw new EngineError('unavailable', `${server.origin} does not answer like a casemill server`)
  } finally {
    await file?.close()
  }
}

async function waitForToken(
  begun: z.output<typeof Begun>,
  { server, name = hostname(), days, project: projects, write = false }: Options,
  signal: AbortSignal,
): Promise<z.output<typeof Made>> {
  const asked = { device_code: begun.device_code, name, days, read_only: !write, projects }
  let seconds = begun.interval
  for (let waited = 0; waited < begun.expires_in; waited += Math.max(1, seconds)) {
    await wait(seconds * 1000, undefined, { signal })
    const answer = await post(server, 'auth/device/token', asked, signal)
    const waiting = Waiting.safeParse(answer)
    if (!waiting.success) return Made.parse(answer)
    if (waiting.data.status === 'slow_down') {
      seconds = Math.min(MAX_INTERVAL, seconds + SLOWER_SECONDS)
    }
  }
  throw new EngineError('unavailable', 'nobody logged in in time; run the command again')
}

/** @throws EngineError `unavailable` with the message of the server if it refuses */
async function post(
  server: URL,
  path: string,
  body: object | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  const base = server.href.endsWith('/') ? server.href : `${server.href}/`
  const response = await fetch(new URL(path, base), {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
    ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  }).catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new EngineError('unavailable', `${server.origin} does not answer`, { cause })
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer
  const { data } = Failed.safeParse(answer)
  const said =
    response.status === 404
      ? 'this server has no log-in at an institution; ask its operator for a token'
      : shown(data?.message ?? `status ${response.status}`)
  throw new EngineError('unavailable', `${server.origin}: ${said}`)
}

/** Returns text of a server without characters that a terminal would obey. */
const shown = (text: string) => text.replace(/\p{Cc}/gu, ' ').slice(0, 2000)
