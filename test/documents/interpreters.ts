import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { PYTHON } from '../peers/run-peer.ts'
import type { Language } from './page.ts'

// Programs that run the blocks of a page one after the other, as somebody does who pastes them: what a
// block sets is there for the next. Each takes the path of a block on a line of its standard input.

/** A line that follows the output of each block. */
const MARK = '@@ the block ended @@'

/**
 * A shell as in the checkout, in which npm and npx run the checkout's programs directly, with the Node of the
 * tests.
 */
const SHELL = `
set -euo pipefail
exec 3<&0 </dev/null
trap 'kill $(jobs -p) 2>.killed' EXIT
casemill() {
  if [ "$*" = serve ]; then start; else "$NODE" "$CHECKOUT/bin/casemill.ts" "$@"; fi
}
start() {
  # The demo is served already.
  if [ $# -eq 0 ]; then [ -n "$DEMO" ]; return; fi
  if [ -e .service ]; then
    # Ctrl-C in the terminal that it keeps.
    kill -INT "$(cat .service)"
    while kill -0 "$(cat .service)" 2>.killed; do sleep 0.1; done
  fi
  "$NODE" "$CHECKOUT/bin/casemill.ts" serve --threads 2 "$@" >.served 2>.log &
  echo $! >.service
  until curl -fs "$SERVED/health/ready" >.ready; do
    if ! kill -0 "$(cat .service)"; then cat .log >&2; return 1; fi
    sleep 0.1
  done
}
npm() {
  case "$*" in
    start) start ;;
    'start -- '*) shift 2; start "$@" ;;
    'run -s casemill -- '*) shift 4; casemill "$@" ;;
    'run -s fixtures -- '*) shift 4; "$NODE" "$CHECKOUT/fixtures/make.ts" "$@" ;;
    'run -s provider -- '*) shift 4; "$NODE" "$CHECKOUT/test/login/serve-provider.ts" "$@" ;;
    # .ci/run and the test of the package try these.
    ci | test | pack | 'install '*) ;;
    *) echo "npm $* is not known to the tests of the documents" >&2; return 1 ;;
  esac
}
npx() {
  local name=$1
  shift
  if [ "$name" = casemill ]; then casemill "$@"; else "$CHECKOUT/node_modules/.bin/$name" "$@"; fi
}
while IFS= read -r block <&3; do
  source "$block"
  printf '\\n%s\\n' "$MARK"
done
`

const PYTHON_LOOP = `
import os, sys
names = {'__name__': '__main__'}
for line in sys.stdin:
    path = line.rstrip('\\n')
    exec(compile(open(path).read(), path, 'exec'), names)
    print('\\n' + os.environ['MARK'], flush=True)
`

const R_LOOP = `
blocks <- file("stdin", "r")
while (length(block <- readLines(blocks, n = 1)) > 0) {
  source(block, print.eval = TRUE)
  cat("\\n", Sys.getenv("MARK"), "\\n", sep = "")
}
`

const COMMANDS: Readonly<Record<Language, readonly [program: string, ...words: string[]]>> = {
  sh: ['bash', '-c', SHELL],
  python: [PYTHON, '-c', PYTHON_LOOP],
  r: ['Rscript', '-e', R_LOOP],
}

/** The time for a program to finish reporting its failure. */
const LATE_MILLISECONDS = 2000
/** The number of characters of standard error to show for a failure. */
const MAX_SAID = 4000

interface Surroundings {
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** Ends the interpreter and everything that it started. */
  readonly signal: AbortSignal
}

export class Interpreter implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #lines: AsyncIterator<string>
  #said = ''

  constructor(language: Language, { cwd, environment, signal }: Surroundings) {
    const [program, ...words] = COMMANDS[language]
    this.#child = spawn(program, words, {
      cwd,
      env: { ...process.env, ...environment, MARK },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A process group, so that everything left running can be ended with it.
      detached: true,
    })
    signal.addEventListener('abort', () => this.#kill(), { once: true })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    this.#child.stderr.on('data', (chunk) => {
      this.#said = `${this.#said}${chunk}`.slice(-MAX_SAID)
    })
    // An interpreter that ended too early is noticed by its output.
    this.#child.stdin.on('error', () => {})
  }

  /** Runs a file and returns its standard output. Throws if it fails. */
  async run(path: string): Promise<string> {
    this.#child.stdin.write(`${path}\n`)
    const output: string[] = []
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done) {
        // The reason may follow the output, and programs left running may keep the error output open.
        await Promise.race([once(this.#child.stderr, 'end'), sleep(LATE_MILLISECONDS)])
        throw new Error([...output, this.#said].join('\n'))
      }
      if (value === MARK) return output.join('\n')
      output.push(value)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.#child
    const ended = exitCode === null && signalCode === null ? once(this.#child, 'exit') : undefined
    this.#kill()
    await ended
  }

  #kill(): void {
    const { pid } = this.#child
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    } catch (error) {
      // The process group is empty.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}
