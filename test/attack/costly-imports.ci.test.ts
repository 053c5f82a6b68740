import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCommand } from '../../bin/commands/import.ts'
import { openTerminal } from '../../bin/terminal.ts'
import { bareEnvironment } from '../bare-environment.ts'
import { copyDemo } from '../demo/copy-demo.ts'
import { depth, isExhaustive, sample } from '../depth.ts'
import { COSTLY_IMPORTS } from './support/costly-imports.ts'

// Files that cost an import the most for their size. Every import must end by itself, in bounded memory, and
// leave nothing behind. A usual run gives small files to some importers; the exhaustive run tests all. One
// importer: COSTLY=genes npx vitest run --mode exhaustive test/attack/costly-imports.ci.test.ts

const PROGRAM = fileURLToPath(new URL('../../bin/casemill.ts', import.meta.url))
/** Unpacked size; for archives it is sixteen times as much. */
const MEGABYTES = depth(4, 32)
const MAX_PEAK_BYTES = 1000 * 2 ** 20
const ONLY = process.env.COSTLY

/** The file to which a process writes the report of `TELL_PEAK`. A full pipe would take only part of it. */
const TOLD = 'told-at-exit.json'
/** Makes the program write its peak memory and its open files when it ends. */
const TELL_PEAK = `data:text/javascript,${encodeURIComponent(`
  import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
  const place = process.env.TMPDIR
  process.on('exit', () => {
    const kilobytes = Number(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
    const paths = readdirSync('/proc/self/fd').flatMap((name) => {
      try { return [readlinkSync('/proc/self/fd/' + name)] } catch { return [] }
    })
    const open = paths.filter((path) => path.startsWith(place))
    writeFileSync(place + '/${TOLD}', JSON.stringify({ peak: kilobytes * 1024, open }))
  })
`)}`

const folder = mkdtempSync(join(tmpdir(), 'casemill-costly-imports-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const report: string[] = []
afterAll(() => console.log(report.join('\n')))

test('every importer has a maker of its costliest files', async () => {
  const { commands } = await importCommand(openTerminal(process))
  const names = commands.map((command) => command.name())
  expect(Object.keys(COSTLY_IMPORTS).toSorted()).toEqual(names.toSorted())
})

interface Told {
  /** The peak of resident memory in bytes. */
  readonly peak: number
  /** The paths in its folder that were still open at the end. */
  readonly open: readonly string[]
}

async function runImport(name: string, args: readonly string[], place: string) {
  const all = [
    '--import',
    TELL_PEAK,
    PROGRAM,
    'import',
    name,
    ...args,
    '--data',
    join(place, 'data'),
  ]
  const env = { ...bareEnvironment(), TMPDIR: place }
  // Standard output may be larger than the file, with a line for each rejected row.
  const child = spawn(process.execPath, all, {
    cwd: place,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(child, 'close')
  const said = await text(child.stderr)
  await closed
  return { status: child.exitCode ?? -1, said }
}

/** Names in a folder other than the given files, the database, the settings and the empty lock file. */
const leftIn = (place: string) =>
  readdirSync(place, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      /(^|\/)(incoming|uploads|tmp|\.tmp|building)[^/]*\/.+|casemill-/.test(path) &&
      !path.endsWith('incoming/commons.lock'),
  )

const CHOSEN = ['genes', 'staging', 'rx']
const chosen = Object.entries(COSTLY_IMPORTS).filter(([name]) =>
  ONLY === undefined ? isExhaustive || CHOSEN.includes(name) : name === ONLY,
)

describe.each(chosen)('casemill import %s', (name, { files, args, needsRelease }) => {
  let place: string
  let before: readonly string[]
  beforeAll(async () => {
    place = mkdtempSync(join(folder, `${name}-`))
    if (needsRelease) await copyDemo(join(place, 'data'))
    before = leftIn(place)
  })

  test.each(sample(files(MEGABYTES), 1))(
    '$what',
    { timeout: 0 },
    async ({ what, name: file, bytes }) => {
      const path = join(place, file)
      writeFileSync(path, bytes)
      const start = performance.now()
      const { status, said } = await runImport(name, args(path), place)
      const seconds = (performance.now() - start) / 1000
      const { peak, open } = JSON.parse(readFileSync(join(place, TOLD), 'utf8')) as Told
      rmSync(join(place, TOLD))
      report.push(
        `${name}, ${what}: ${(peak / 2 ** 20).toFixed(0)} MiB, ${seconds.toFixed(1)} s, status ${status}: ${said.slice(0, 120).trim()}`,
      )
      expect([0, 1, 2], said.slice(-500)).toContain(status)
      expect(said).not.toMatch(/unexpected|heap out of memory|\n\s+at /)
      expect(peak).toBeLessThan(MAX_PEAK_BYTES)
      expect(open.filter((one) => !/sqlite|serving.lock/.test(one))).toEqual([])
      expect(leftIn(place)).toEqual(before)
      // The import must fail because of the file, not for lack of a release.
      expect(said).not.toMatch(/there is no release/)
      rmSync(path)
    },
  )
})
