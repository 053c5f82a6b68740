import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

/** A program that has a command for each way of ending. It runs as a process of its own. */
const PROGRAM = `
  import { once } from 'node:events'
  import { readFile } from 'node:fs/promises'
  import { Command, Option } from 'commander'
  import { EngineError } from ${url('../engine/shared/index.ts')}
  import { IssuesFound, runProgram } from ${url('./frame.ts')}
  import { openTerminal } from ${url('./terminal.ts')}

  const terminal = openTerminal(process)
  const { signal } = terminal
  const stopped = async () => {
    const busy = setInterval(() => {}, 1000)
    terminal.explain('ready')
    await once(signal, 'abort')
    clearInterval(busy)
  }
  const command = (name, action) => new Command(name).action(action)
  const program = new Command('casemill')
    .addCommand(command('server', stopped))
    .addCommand(command('work', async () => {
      await stopped()
      signal.throwIfAborted()
    }))
    .addCommand(new Command('import').addCommand(command('bam', async () => {
      await stopped()
      signal.throwIfAborted()
    })))
    .addCommand(command('deaf', async () => {
      await stopped()
      terminal.explain('heard')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    }))
    .addCommand(command('pour', async () => {
      for (;;) await terminal.write('x'.repeat(65536))
    }))
    .addCommand(command('issues', () => { throw new IssuesFound('reported before') }))
    .addCommand(command('failure', () => { throw new EngineError('busy', 'two\\n lines') }))
    .addCommand(new Command('choose').addOption(new Option('--access <a>').choices(['open', 'controlled'])))
    .addCommand(command('missing', () => readFile('/none/such')))
    .addCommand(command('bug', () => { throw new TypeError('a bug', { cause: new Error('its cause') }) }))
  process.exitCode = await runProgram(program, ['node', 'casemill', ...process.argv.slice(1)], terminal)`

function url(path: string): string {
  return JSON.stringify(new URL(path, import.meta.url).href)
}

function start(...words: readonly string[]) {
  return spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, ...words], {
    // Imports by package name in an inline program are resolved from the working directory.
    cwd: new URL('..', import.meta.url),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function run(...words: readonly string[]) {
  const child = start(...words)
  const [err, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { status, err }
}

test('a finding ends with status 1 and no further message', async () => {
  expect(await run('issues')).toEqual({ status: 1, err: '' })
})

test('an error of the engine is one line without stack', async () => {
  expect(await run('failure')).toEqual({ status: 1, err: 'casemill: two lines\n' })
})

test('a value that is none of the choices is reported with the one that was meant', async () => {
  expect(await run('choose', '--access=opne')).toEqual({
    status: 2,
    err: "casemill: option '--access <a>' argument 'opne' is invalid. Use one of open, controlled; did you mean \"open\"?\n",
  })
})

test('an error of the system is a sentence with the path', async () => {
  const message = 'there is no file or folder "/none/such"; give the path of one that is there'
  expect(await run('missing')).toEqual({ status: 1, err: `casemill: ${message}\n` })
})

test('a bug shows its stack and its cause', async () => {
  const { status, err } = await run('bug')
  expect(status).toBe(1)
  expect(err).toMatch(/^casemill: unexpected error, please report it: TypeError: a bug\n {4}at /)
  expect(err).toContain('its cause')
})

test.each([
  ['SIGINT', 'server', [0, null]],
  ['SIGTERM', 'server', [0, null]],
  ['SIGINT', 'work', [null, 'SIGINT']],
  ['SIGTERM', 'work', [null, 'SIGTERM']],
] as const)('on %s a %s ends with %j', async (signal, name, ended) => {
  const child = start(name)
  await once(child.stderr, 'data')
  child.kill(signal)
  expect(await once(child, 'exit')).toEqual(ended)
})

test.each([
  ['interrupted; call it again to go on', ['import', 'bam']],
  ['interrupted', ['work']],
])('after Ctrl-C it says "%s" of %j', async (sentence, words) => {
  const child = start(...words)
  child.stderr.setEncoding('utf8')
  const [ready] = await once(child.stderr, 'data')
  child.kill('SIGINT')
  const [err, ended] = await Promise.all([text(child.stderr), once(child, 'exit')])
  // A shell shows this status as 130.
  expect([ready, err, ended]).toEqual(['ready\n', `casemill: ${sentence}\n`, [null, 'SIGINT']])
})

test('a second Ctrl-C ends a command that does not listen', async () => {
  const child = start('deaf')
  await once(child.stderr, 'data')
  child.kill('SIGINT')
  await once(child.stderr, 'data')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([null, 'SIGINT'])
})

test('a reader that leaves in the middle ends the command quietly with status 1', async () => {
  const child = start('pour')
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [err, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect({ err, status }).toEqual({ err: '', status: 1 })
})
