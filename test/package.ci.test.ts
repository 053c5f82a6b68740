import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_FILES } from '../fixtures/demo-commons.ts'
import { DEMO_CASE } from '../fixtures/staging/algorithm.ts'
import pkg from '../package.json' with { type: 'json' }
import { sample } from './depth.ts'

// The package as users get it: packed, installed into an empty folder, and run from there. Installing needs the
// network.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The block that ends a BAM file (SAM specification, 4.1.2). */
const MARKER = '1f8b08040000000000ff0600424302001b0003000000000000000000'

/** Cached packages are not requested again. */
const QUIETLY = ['--no-audit', '--no-fund', '--prefer-offline']

/** The kinds of exports of each entry point of the package, by the names of both. */
type Doors = Readonly<Record<string, Readonly<Record<string, string>>>>

const TELL_DOORS = `
  const kinds = {}
  for (const key of ${JSON.stringify(Object.keys(pkg.exports))}) {
    const name = 'casemill' + key.slice(1)
    const door = Object.entries(await import(name))
    kinds[name] = Object.fromEntries(door.map(([exported, value]) => [exported, typeof value]))
  }
  console.log(JSON.stringify(kinds))`

// The package does not include Node; users have their own, and here it is the pinned one.
const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(CASEMILL_|npm_(package|lifecycle|config_local_prefix))/.test(name),
    ),
  ),
  PATH: [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
}

let place = ''
let tarball = ''
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'casemill-package-'))
  await run('npm', ['pack', '--pack-destination', place], ROOT)
  const [name = 'none'] = (await readdir(place)).filter((name) => name.endsWith('.tgz'))
  tarball = join(place, name)
})
afterAll(() => rm(place, { recursive: true, force: true }))

function run(file: string, words: readonly string[], cwd: string) {
  return promisify(execFile)(file, words, { cwd, env: environment })
}

describe('the packed package in an empty folder', () => {
  let home = ''
  let program = ''

  const casemill = (...words: string[]) => run(program, words, home)

  let imported: Promise<Doors> | undefined
  /** Returns the exports of all entry points, imported by one process. */
  function doors(): Promise<Doors> {
    imported ??= (async () => {
      const { stdout } = await run('node', ['--input-type=module', '--eval', TELL_DOORS], home)
      return JSON.parse(stdout) as Doors
    })()
    return imported
  }

  beforeAll(async () => {
    home = join(place, 'empty')
    program = join(home, 'node_modules', '.bin', 'casemill')
    await mkdir(home)
    await run('npm', ['install', ...QUIETLY, tarball], home)
  })

  test('it holds what was compiled and the texts that belong to it, and no tests', async () => {
    const folder = join(home, 'node_modules', 'casemill')
    expect((await readdir(folder)).filter((name) => name !== 'node_modules').sort()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'dist', 'package.json'].sort(),
    )
    const files = await readdir(join(folder, 'dist'), { recursive: true })
    expect(files.filter((name) => name.includes('.test.'))).toEqual([])
    expect(files).toContain(join('kernels', 'inflate.wasm'))
  })

  test('it runs on the pinned Node and tells its version', async () => {
    const { stdout: node } = await run('node', ['--version'], home)
    expect(node).toMatch(/^v24\./)
    expect((await casemill('--version')).stdout).toBe(`${pkg.version}\n`)
  })

  // The oldest version that reads modules without a flag, and the last one that lacks required features.
  test.each(sample(['12.22.12', '20.20.2'], 1))(
    'on Node %s it says one sentence',
    async (version) => {
      const old = join(place, `node-${version}`)
      const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
      await run('npm', ['install', '--prefix', old, ...QUIETLY, `${name}@${version}`], home)
      const node = join(old, 'node_modules', name, 'bin', 'node')
      const entry = join(home, 'node_modules', 'casemill', 'dist', 'bin', 'casemill.js')
      for (const word of ['serve', '--version']) {
        await expect(run(node, [entry, word], home)).rejects.toMatchObject({
          code: 1,
          stdout: '',
          stderr: expect.stringMatching(
            new RegExp(`^casemill: this is Node ${version} .*needs Node 22\\.18 or newer; .*\\n$`),
          ),
        })
      }
    },
  )

  test('npx runs the installed program', async () => {
    const words = ['casemill', 'serve', '--port', '7', '--print-config']
    const { stdout } = await run('npx', words, home)
    expect(JSON.parse(stdout)).toMatchObject({ port: 7, data: 'casemill-demo' })
  })

  test.each([
    ['casemill', 'openEngine'],
    ['casemill/commons', 'sliceFile'],
    ['casemill/submission', 'Dictionary'],
    ['casemill/registry', 'Staging'],
    ['casemill/shared', 'EngineError'],
    ['casemill/workers', 'ThreadPool'],
  ])('%s can be imported by name, and has %s', async (name, exported) => {
    expect((await doors())[name]?.[exported]).toBe('function')
  })

  test('serve makes the demo, answers, and ends well when interrupted', async () => {
    await using service = await serve()
    const { address, curls } = service
    const status = await fetch(`${address}/status`)
    expect(await status.json()).toMatchObject({ status: 'OK', tag: pkg.version })

    // The page links to the state of the service, which is 503 until all its processes accept requests.
    await expect
      .poll(async () => (await fetch(`${address}/health/ready`)).status, { timeout: 60_000 })
      .toBe(200)
    const pages = await Promise.all(['/docs', '/'].map((path) => fetch(`${address}${path}`)))
    const texts = await Promise.all(pages.map((page) => page.text()))
    const assets = texts.flatMap((text) => [...text.matchAll(/(?:src|href)="([^"#]+)"/g)])
    expect(assets.map(([, path]) => path)).toContainEqual(
      expect.stringMatching(/^\/explorer\/main-/),
    )
    expect(assets.length).toBeGreaterThanOrEqual(8)
    for (const [, path] of assets) {
      const asset = await fetch(`${address}${path}`)
      expect([path, asset.status]).toEqual([path, 200])
      expect((await asset.bytes()).length).toBeGreaterThan(10)
    }
    const document = await fetch(`${address}/openapi.json`)
    expect(await document.json()).toMatchObject({ openapi: '3.1.0' })

    const schema = await fetch(`${address}/submission/_dictionary/sample`)
    expect(await schema.json()).toMatchObject({ id: 'sample', category: 'biospecimen' })

    const [, url = 'none'] = /'(http[^']+region=[^']+)'/.exec(curls.join('\n')) ?? []
    const slice = await fetch(url)
    expect(slice.status).toBe(206)
    const bytes = Buffer.from(await slice.arrayBuffer())
    expect(bytes.toString('hex').endsWith(MARKER)).toBe(true)
    expect(gunzipSync(bytes).toString('latin1', 0, 4)).toBe('BAM\x01')
    expect(bytes.length).toBeGreaterThan(10_000)
    await writeFile(join(home, 'slice.bam'), bytes)

    const [, staged = 'none'] = /-d '([^']+)' \S+\/stage$/m.exec(curls.join('\n')) ?? []
    const [, key = 'none'] = /X-SEERAPI-Key: ([\w-]+)'/.exec(curls.join('\n')) ?? []
    const stage = await fetch(`${address}/rest/staging/demo/1.0/stage`, {
      method: 'POST',
      headers: { 'X-SEERAPI-Key': key, 'Content-Type': 'application/json' },
      body: staged,
    })
    expect(await stage.json()).toMatchObject({ result: 'STAGED', output: { stage: '3' } })

    expect(await service.stop()).toEqual([0, null])
  })

  test('token create prints the secret alone on the last line', async () => {
    const made = await casemill('token', 'create', '--user', 'ada', '--data', 'other')
    expect(made.stdout.trimEnd().split('\n').at(-1)).toMatch(/^[A-Za-z0-9_-]{32,}$/)
  })

  test('what the demo gave can be imported, sliced and checked', async () => {
    const { stdout } = await casemill('import', 'bam', 'slice.bam', '--data', 'other')
    expect(stdout).toMatch(/^[\da-f-]{36}\n$/)
    const checked = await casemill('check', '--data', 'other')
    expect(checked.stdout).toBe('')
  })

  test('the examples compile with the declarations of the package', async () => {
    await cp(join(ROOT, 'examples'), home, { recursive: true })
    await run('npm', ['pkg', 'set', 'type=module'], home)
    const files = (await readdir(home)).filter((name) => name.endsWith('.ts'))
    expect(files).toHaveLength(5)
    const roots = join(ROOT, 'node_modules', '@types')
    await run(
      'tsc',
      [
        ...['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--skipLibCheck'],
        ...['--types', 'node', '--typeRoots', roots, ...files],
      ],
      home,
    )
  })

  test('the examples run by the names of the package', async () => {
    const example = async (...words: string[]) => (await run('node', words, home)).stdout
    const [bam] = DEMO_FILES
    const path = join('casemill-demo', 'files', bam.id, bam.name)
    expect(await example('slice-bam.ts', path, 'cut.bam', 'chr17')).toMatch(
      /^cut\.bam\t\d+ bytes\n$/,
    )
    const curves = await example('survival.ts', 'casemill-demo', 'primary_site', 'Brain', 'Kidney')
    expect(curves).toMatch(/^cohort.*\nBrain\t.*\nKidney\t.*\nchi-squared /)
    await writeFile(join(home, 'cases.ndjson'), `${JSON.stringify(DEMO_CASE)}\n`)
    const stage = ['stage-cases.ts', 'casemill-demo', 'demo', '1.0', 'cases.ndjson', '1000']
    expect(await example(...stage)).toBe('STAGED\t1000\n')
    const { depth, size, nodes_exam, nodes_pos } = DEMO_CASE
    const tumour = {
      primary_site: DEMO_CASE.site,
      histology_icd_o3: DEMO_CASE.hist,
      behavior_icd_o3: '3',
      date_of_diagnosis_year: DEMO_CASE.year_dx,
      inputs: { depth, size, nodes_exam, nodes_pos },
    }
    await writeFile(join(home, 'patients.ndjson'), `${JSON.stringify([tumour])}\n`)
    const patients = ['casemill-demo', 'demo', '1.0', 'patients.ndjson']
    expect(await example('registrar.ts', ...patients)).toMatch(/\n1\t1\t1\t\d+\tbowel\tSTAGED\n$/)
    const table = await example('table-to-duckdb.ts', 'casemill-demo', 'cases', 'cases.duckdb')
    expect(table).toMatch(/^cases\t2000 rows\t/)
  })

  test.each(['shared', 'registry', 'submission'])(
    'casemill/%s has nothing of what is for our own programs',
    async (wing) => {
      const inner = await import(`../engine/${wing}/internal.ts`)
      const names = new Set(Object.keys((await doors())[`casemill/${wing}`] ?? {}))
      expect(names.size).toBeGreaterThan(1)
      expect(Object.keys(inner).filter((name) => names.has(name))).toEqual([])
    },
  )

  interface Service extends AsyncDisposable {
    readonly address: string
    readonly curls: readonly string[]
    stop(): Promise<unknown[]>
  }

  async function serve(): Promise<Service> {
    const child = spawn(program, ['serve', '--port', '0'], {
      cwd: home,
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(child, 'exit')
    const stop = () => {
      child.kill('SIGINT')
      return ended
    }
    const lines: string[] = []
    const curls = () => lines.filter((line) => line.startsWith('curl '))
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line)
      if (curls().length === 12) break
    }
    const [address = 'none'] = /http:\/\/[\d.]+:\d+/.exec(lines[0] ?? '') ?? []
    return {
      address,
      curls: curls(),
      stop,
      [Symbol.asyncDispose]: async () => void (await stop()),
    }
  }
})
