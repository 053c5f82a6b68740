import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, join, normalize, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { JOBS } from '../engine/jobs.ts'
import { unusedExports } from './exports.ts'

// Checks those rules of ARCHITECTURE.md and CONTRIBUTING.md that a program can check.

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const lineCount = (path: string) => read(path).trimEnd().split('\n').length

/** Folders of generated files, as in .gitignore. */
const MADE: ReadonlySet<string> = new Set([
  '.git',
  ...read('.gitignore')
    .split('\n')
    .filter((line) => line.endsWith('/'))
    .map((line) => line.replace(/^\/|\/$/g, '')),
])

/** Paths below a folder, relative to the root, with forward slashes. */
function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = relative(ROOT, join(ROOT, folder, entry.name))
      .split(sep)
      .join('/')
    if (!entry.isDirectory()) return [path]
    return MADE.has(entry.name) || MADE.has(path) ? [] : walk(path)
  })
}

const FILES = walk('.')
const SOURCES = FILES.filter((path) => /\.tsx?$/.test(path))
const isTest = (path: string) =>
  path.endsWith('.test.ts') || path.startsWith('test/') || path.includes('/support/')
/** This file contains the patterns that it forbids. */
const others = SOURCES.filter((path) => path !== 'test/house.test.ts')
/** The files that users run: everything but tests, which may import anything. */
const SHIPPED = SOURCES.filter((path) => !isTest(path))
const FOLDERS = [...new Set(FILES.filter((path) => path.includes('/')).map(roomOf))]
const ROOMS = FOLDERS.filter((name) => !name.startsWith('.'))

function roomOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : ''
}

interface Import {
  readonly from: string
  /** For relative imports, a path in the project; otherwise the module's name as written. */
  readonly to: string
  readonly isOurs: boolean
}

const IMPORT_FORMS: readonly RegExp[] = [
  /(?:^|\n)\s*(?:import|export)\s[^'"]*?\bfrom\s+['"]([^'"]+)['"]/g,
  /(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g,
  /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
  /(?:\brequire|\.resolve)\(\s*['"]([^'"]+)['"]\s*\)/g,
]

function importsOf(path: string): Import[] {
  const text = read(path)
  return IMPORT_FORMS.flatMap((form) => [...text.matchAll(form)]).map(([, name = '']) => {
    const isOurs = name.startsWith('.')
    const to = isOurs
      ? normalize(join(dirname(path), name))
          .split(sep)
          .join('/')
      : name
    return { from: path, to, isOurs }
  })
}

const IMPORTS = SHIPPED.flatMap(importsOf)
const within = (folder: string) =>
  IMPORTS.filter(({ from }) => from === folder || from.startsWith(`${folder}/`))

const described = ({ from, to }: Import) => `${from} imports ${to}`
const broken = (imports: readonly Import[], isBroken: (one: Import) => boolean) =>
  imports.filter(isBroken).map(described)

/** Matching lines as `path:line`, so that a terminal can open them. */
function linesThat(paths: readonly string[], matches: (line: string) => boolean): string[] {
  return paths.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, i) => (matches(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
  )
}

test('the import lines are found at all', () => {
  expect(IMPORTS.length).toBeGreaterThan(200)
  expect(IMPORTS.map(described)).toEqual(
    expect.arrayContaining([
      'workers/pool.ts imports engine/shared/executor.ts',
      'engine/jobs.ts imports engine/commons/slicing/edge.ts',
      'server/web/docs.ts imports @fastify/swagger-ui/package.json',
    ]),
  )
})

describe('arrows', () => {
  /** The top-level folders that each one may import. An empty name is the root: package.json. */
  const ARROWS: Readonly<Record<string, readonly string[]>> = {
    bin: ['server', 'workers', 'engine', 'fixtures', ''],
    server: ['engine'],
    workers: ['engine'],
    engine: [],
    fixtures: ['engine'],
    // The explorer runs in browsers and uses the service only by its interface.
    explorer: [],
    // Kernels are written in another language and compiled to WebAssembly.
    kernels: [],
    // Examples use the names that the package exports, as its users do.
    examples: [],
    // The reference is generated from the program.
    tools: ['bin', 'server', ''],
    bench: ['bin', 'server', 'workers', 'engine', 'fixtures'],
    // The configuration of the test runner imports its reporter from there.
    '': ['test'],
  }

  test('every room has its arrows', () => {
    const tableSets = new Set(SHIPPED.map(roomOf))
    expect([...tableSets].filter((target) => !Object.hasOwn(ARROWS, target))).toEqual([])
  })

  test.each(Object.entries(ARROWS))('room "%s" imports only itself and [%s]', (target, allowed) => {
    const ours = IMPORTS.filter(({ from, isOurs }) => isOurs && roomOf(from) === target)
    const isBroken = ({ to }: Import) => roomOf(to) !== target && !allowed.includes(roomOf(to))
    expect(broken(ours, isBroken)).toEqual([])
  })

  /** The modules of the engine that each one may import. */
  const WINGS: Readonly<Record<string, readonly string[]>> = {
    shared: [],
    commons: ['shared'],
    submission: ['commons', 'shared'],
    registry: ['shared'],
  }
  const wingOf = (path: string) => path.split('/')[1] ?? ''
  const isInWing = (path: string) =>
    roomOf(path) === 'engine' && Object.hasOwn(WINGS, wingOf(path)) && path.split('/').length > 2

  test('every folder of the engine is a wing', () => {
    const folders = readdirSync(join(ROOT, 'engine'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(folders.sort()).toEqual(Object.keys(WINGS).sort())
  })

  test.each(Object.entries(WINGS))('wing "%s" imports only itself and [%s]', (wing, allowed) => {
    const isBroken = ({ to, isOurs }: Import) =>
      isOurs &&
      roomOf(to) === 'engine' &&
      !(isInWing(to) && [wing, ...allowed].includes(wingOf(to)))
    expect(broken(within(`engine/${wing}`), isBroken)).toEqual([])
  })

  /**
   * Folders that import the engine, and the entry points that they may use: those of the library, and those for
   * this package's own programs.
   */
  const DOORS: Readonly<Record<string, readonly string[]>> = {
    'server/commons': ['commons', 'shared'],
    'server/submission': ['submission', 'shared'],
    'server/registry': ['registry', 'shared'],
    'server/http': ['shared'],
    server: ['commons', 'submission', 'registry', 'shared', ''],
    bin: ['commons', 'commons/slicing', 'submission', 'registry', 'shared', ''],
  }

  test.each(Object.entries(DOORS))(
    '"%s" sees the engine through the doors [%s]',
    (folder, wings) => {
      const doors = wings.flatMap((wing) =>
        ['index.ts', 'internal.ts'].map((name) => join('engine', wing, name)),
      )
      const isBroken = ({ to }: Import) => roomOf(to) === 'engine' && !doors.includes(to)
      expect(broken(within(folder), isBroken)).toEqual([])
    },
  )

  test('the engine knows neither HTTP nor threads', () => {
    const foreign = /^(@?hono\b|piscina\b|(node:)?(http|https|http2|net|tls|worker_threads)$)/
    expect(broken(within('engine'), ({ to, isOurs }) => !isOurs && foreign.test(to))).toEqual([])
  })

  test('the engine takes its settings from its caller, not from the environment', () => {
    const engine = SHIPPED.filter((path) => path.startsWith('engine/'))
    expect(linesThat(engine, (line) => /process\s*\.\s*env\b/.test(line))).toEqual([])
  })

  test('the server leaves stores, threads and file formats to the engine', () => {
    const foreign = /^(@duckdb\b|duckdb|apache-arrow|(node:)?sqlite|pg|piscina|@gmod\b)(\/|$)/
    expect(broken(within('server'), ({ to, isOurs }) => !isOurs && foreign.test(to))).toEqual([])
  })

  test('formats are a leaf: nothing of ours outside them, no files, no network', () => {
    const leaves = ['engine/shared/formats', 'engine/shared/formats/parquet', 'engine/math']
    const reaching =
      /^(node:)?(fs|net|tls|dgram|http|https|http2|child_process|worker_threads|sqlite)(\/|$)/
    const isBroken = ({ to, isOurs }: Import) =>
      isOurs ? !leaves.includes(dirname(to)) : reaching.test(to)
    expect(broken(leaves.flatMap(within), isBroken)).toEqual([])
  })

  test('no imports run in a circle', () => {
    const next = new Map<string, string[]>()
    for (const { from, to, isOurs } of IMPORTS) {
      if (isOurs) next.set(from, [...(next.get(from) ?? []), to])
    }
    // Files that import none of the remaining files are removed until none is left.
    let left = [...next.keys()]
    for (;;) {
      const rest = new Set(left)
      const inner = left.filter((path) => (next.get(path) ?? []).some((to) => rest.has(to)))
      if (inner.length === left.length) break
      left = inner
    }
    expect(left).toEqual([])
  })

  test('folders of the data commons import only from the floors below', () => {
    const floorOf = new Map(FLOORS.flatMap((names, floor) => names.map((name) => [name, floor])))
    const folderOf = (path: string) => /^engine\/commons\/([^/]+)\//.exec(path)?.[1]
    const inside = within('engine/commons').filter(({ from }) => folderOf(from) !== undefined)
    expect([...new Set(inside.map(({ from }) => folderOf(from)))].toSorted()).toEqual(
      [...floorOf.keys()].toSorted(),
    )
    const isBroken = ({ from, to }: Import) => {
      const [here, there] = [folderOf(from), folderOf(to)]
      if (here === undefined || there === undefined || here === there) return false
      return (floorOf.get(there) ?? 0) >= (floorOf.get(here) ?? 0)
    }
    // Builders of test data are stored next to their subject, and may use what they need.
    const ofProduct = inside.filter(({ from }) => !from.includes('/support/'))
    expect(broken(ofProduct, isBroken)).toEqual([])
  })

  test('no two folders beside each other import each other', () => {
    const arrows = new Set<string>()
    for (const { from, to, isOurs } of IMPORTS) {
      if (!isOurs || from.includes('/support/')) continue
      const one = dirname(from).split('/')
      const other = dirname(to).split('/')
      const parts = one.findIndex((part, i) => part !== other[i])
      if (parts === -1 || parts >= other.length) continue
      const [here, there] = [one, other].map((path) => path.slice(0, parts + 1).join('/'))
      arrows.add(`${here} ${there}`)
    }
    const mutual = [...arrows].filter((arrow) => {
      const [here = '', there = ''] = arrow.split(' ')
      return here < there && arrows.has(`${there} ${here}`)
    })
    expect(mutual.toSorted()).toEqual(MUTUAL)
  })
})

/** The folders of the data commons in layers, lowest first. Two folders of one layer do not import each other. */
const FLOORS: readonly (readonly string[])[] = [
  ['datasets', 'containers'],
  ['release'],
  ['query', 'render'],
  ['search'],
  ['files', 'distribution'],
  ['slicing', 'analysis', 'case-tables', 'drs', 'sets'],
  ['import', 'htsget', 'graphql', 'cohorts', 'lake'],
  ['upkeep'],
]

/** The one pair of folders that import each other. */
const MUTUAL: readonly string[] = [
  // The list of pages loads each page when it is opened.
  'explorer/frame explorer/pages',
]

describe('exports', () => {
  /** Exported names that no other file imports, with the reason to keep them. */
  const KEPT: Readonly<Record<string, string>> = {
    'engine/registry/staging/algorithm/match.ts isCodeValid':
      'rule 33 of registry.md, which no operation serves',
    'kernels/inflate.ts SOURCE': 'used by engine/shared/formats/inflater.ts when it is compiled',
    'kernels/inflate.ts TARGET': 'used by engine/shared/formats/inflater.ts when it is compiled',
    'kernels/inflate.ts inflate': 'used by engine/shared/formats/inflater.ts when it is compiled',
    'kernels/rows.ts gather': 'used by engine/commons/render/row-kernel.ts when it is compiled',
    'kernels/rows.ts lacking': 'used by engine/commons/render/row-kernel.ts when it is compiled',
    'kernels/rows.ts lines': 'used by engine/commons/render/row-kernel.ts when it is compiled',
    'kernels/rows.ts numbers': 'used by engine/commons/render/row-kernel.ts when it is compiled',
    'kernels/rows.ts objects': 'used by engine/commons/render/row-kernel.ts when it is compiled',
    'kernels/rows.ts present': 'used by engine/commons/render/row-kernel.ts when it is compiled',
    'kernels/rows.ts texts': 'used by engine/commons/render/row-kernel.ts when it is compiled',
    'kernels/rows.ts touched': 'keeps reads from being optimised away',
    'test/kernels.ts setup': 'called by the test runner',
    'test/object-gateway.ts setup': 'called by the test runner',
    'test/requirements.ts setup': 'called by the test runner',
    'test/run-folder.ts setup': 'called by the test runner',
    'test/shared-bytes.ts setup': 'called by the test runner',
    'test/shared-state.ts setup': 'called by the test runner',
  }

  const { exports: doors } = JSON.parse(read('package.json')) as {
    readonly exports: Readonly<Record<string, { readonly 'casemill-source': string }>>
  }
  const publicFiles = new Set(
    Object.values(doors).map((door) => normalize(door['casemill-source'])),
  )
  const isPublic = (path: string) => publicFiles.has(path)
  /** Fixtures, benchmarks and tools also serve tests. */
  const servesTests = (path: string) => isTest(path) || /^(fixtures|bench|tools)\//.test(path)
  const textsOf = (paths: readonly string[]) => new Map(paths.map((path) => [path, read(path)]))
  const described = (texts: ReadonlyMap<string, string>) =>
    unusedExports(texts, { isPublic, isTest, servesTests }).map(
      ({ file, name }) => `${file} ${name}`,
    )

  test('every exported name is used by another file', () => {
    const found = described(textsOf(SOURCES))
    expect(found.toSorted()).toEqual(Object.keys(KEPT).toSorted())
  })

  test('an unused name is found, also behind a door and beside a test', () => {
    const texts = new Map([
      ['engine/index.ts', "export { used } from './a.ts'"],
      [
        'engine/internal.ts',
        "export { behind } from './a.ts'\nexport { passed as on } from './a.ts'",
      ],
      ['bin/b.ts', "import {\n  on,\n  type Listed,\n} from '../engine/internal.ts'"],
      ['bin/c.ts', "const { loaded } = await import('../engine/a.ts')"],
      ['engine/a.test.ts', "import { tested, called } from './a.ts'"],
      [
        'engine/a.ts',
        [
          'export const used = 1',
          'export const behind = 2',
          'export async function passed() {}',
          'export interface Alone {}',
          'export const loaded = 3',
          '/** Like called. */',
          'export const tested = 4',
          'export const called = 5',
          'used(called) // behind',
        ].join('\n'),
      ],
    ])
    expect(described(texts)).toEqual([
      'engine/internal.ts behind',
      'engine/a.ts behind',
      'engine/a.ts Alone',
      'engine/a.ts tested',
    ])
  })
})

describe('packages', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as {
    readonly dependencies: Readonly<Record<string, string>>
    readonly devDependencies: Readonly<Record<string, string>>
  }
  const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')
  const isBuiltin = (name: string) => name.startsWith('node:') || builtinModules.includes(name)

  test('what is shipped needs only what is installed with it', () => {
    const tableSets = ['bin', 'server', 'workers', 'engine', 'fixtures']
    const isBroken = ({ to, isOurs }: Import) =>
      !isOurs && !isBuiltin(to) && !Object.hasOwn(dependencies, packageOf(to))
    expect(broken(tableSets.flatMap(within), isBroken)).toEqual([])
  })

  test('every dependency is used', () => {
    const used = new Set(IMPORTS.map(({ to }) => packageOf(to)))
    expect(Object.keys(dependencies).filter((name) => !used.has(name))).toEqual([])
  })

  test('every version is exact', () => {
    const ranges = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^(\d+\.\d+\.\d+[\w.+-]*|file:.+)$/.test(version),
    )
    expect(ranges).toEqual([])
  })

  test('no package runs a script when it is installed', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>
    }
    const running = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript)
    expect(running).toEqual([])
    expect(Object.keys(packages).length).toBeGreaterThan(100)
    // Packages named here could run install scripts despite that setting.
    expect(JSON.parse(read('package.json'))).not.toHaveProperty('allowScripts')
  })

  test('the lockfile names no place to download from', () => {
    expect(linesThat(['package-lock.json'], (line) => /"resolved": "https?:/.test(line))).toEqual(
      [],
    )
  })
})

describe('code', () => {
  const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line)

  test('exports have names', () => {
    // Two tools import the default export of a file, and igv.js has one.
    const listed = [
      'workers/thread.ts',
      'vitest.config.ts',
      'test/proof/runner.ts',
      'explorer/pages/reads/igv.d.ts',
    ]
    const paths = others.filter((path) => !listed.includes(path))
    const isDefault = (line: string) => /^\s*export\s+(default\b|\{[^}]*\bas default\b)/.test(line)
    expect(linesThat(paths, isDefault)).toEqual([])
  })

  test('no any', () => {
    const isAny = (line: string) =>
      !isComment(line) && /(:|\bas|<|,|\||=>)\s*any\s*([[\]>,;|)=&]|$)/.test(line)
    expect(linesThat(others, isAny)).toEqual([])
  })

  test('no enum', () => {
    const isEnum = (line: string) => /^\s*(export\s+)?(declare\s+)?(const\s+)?enum\s/.test(line)
    expect(linesThat(others, isEnum)).toEqual([])
  })

  test('the compiler is not silenced', () => {
    expect(linesThat(others, (line) => /@ts-(ignore|nocheck)\b/.test(line))).toEqual([])
  })

  test('what is left to do has a number', () => {
    const isLoose = (line: string) => /\b(TODO|FIXME|XXX)\b(?!\s*\(?#\d+)/.test(line)
    expect(linesThat(others, isLoose)).toEqual([])
  })

  test('no file or folder has a name that says nothing', () => {
    const empty = new Set([
      'util',
      'utils',
      'common',
      'misc',
      'manager',
      'base',
      'helper',
      'helpers',
    ])
    const saysNothing = (path: string) =>
      path.split(/[/.-]/).some((word) => empty.has(word.toLowerCase()))
    expect(FILES.filter(saysNothing)).toEqual([])
  })

  test('files are named in kebab-case', () => {
    const isKebab = (path: string) => /^[a-z0-9-]+(\.[a-z0-9]+)*\.tsx?$/.test(basename(path))
    expect(SOURCES.filter((path) => !isKebab(path))).toEqual([])
  })

  test.each(Object.entries(JOBS))('job %s loads under its own name', async (name, load) => {
    const job = await load()
    expect(job.name).toBe(name)
    expect(job.run).toBeTypeOf('function')
  })
})

describe('texts', () => {
  const isText = (path: string) =>
    /\.(ts|js|json|jsonc|md|yml|yaml|tsv|txt|html|css|sh)$/.test(path) ||
    ['.gitignore', '.npmrc', '.ci/run', 'LICENSE', 'NOTICE'].includes(path)
  // Results that are kept on one machine only are not checked.
  const isOurs = (path: string) => path !== 'test/house.test.ts' && !path.endsWith('.local.json')
  const texts = FILES.filter((path) => isText(path) && isOurs(path))

  const documents = FILES.filter((path) => path.endsWith('.md'))

  test('no file mentions a place on one machine or a package registry', () => {
    const isPlace = (line: string) =>
      /(?<![\w.~*-])\/(root|home|Users|work)\//.test(line) ||
      /registry\.[\w-]+\.(com|org|net|io|dev)\b|npmjs\.(org|com)|artifactory|jfrog|verdaccio/i.test(
        line,
      )
    expect(linesThat(texts, isPlace)).toEqual([])
  })

  test('ARCHITECTURE.md and CONTRIBUTING.md stay short', () => {
    expect(lineCount('ARCHITECTURE.md')).toBeLessThanOrEqual(150)
    expect(lineCount('CONTRIBUTING.md')).toBeLessThanOrEqual(80)
  })

  test('lines of the documents that people read first are no longer than 120 characters', () => {
    const first = documents.filter((path) =>
      /^(README\.md$|docs\/(README\.md$|tutorials\/|how-to\/|explanation\/|reference\/[^/]+$))/.test(
        path,
      ),
    )
    // A row of a table cannot be broken, and generated pages have the program's lines.
    const long = first.flatMap((path) =>
      withoutCode(path)
        .split('\n')
        .filter((line) => line.length > 120 && !line.startsWith('|'))
        .map((line) => `${path}: ${line}`),
    )
    expect(long).toEqual([])
    expect(first.length).toBeGreaterThan(40)
  })

  test('ARCHITECTURE.md names every top-level folder', () => {
    const text = read('ARCHITECTURE.md')
    expect(FOLDERS.filter((name) => !text.includes(`\`${name}/`))).toEqual([])
  })

  test.each(documents)('files and folders that %s names in backticks exist', (path) => {
    const named = [...read(path).matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !exists(name))).toEqual([])
  })

  test('sections of the interfaces that are cited exist', () => {
    const specifications = documents.filter((path) => path.startsWith('docs/interfaces/'))
    const headings = new Map(
      specifications.map((path) => {
        const numbers = read(path).matchAll(/^#+ (?:Rule )?(\d+(?:\.\d+)*)\b/gm)
        return [basename(path), new Set([...numbers].map(([, number]) => number))] as const
      }),
    )
    const citation = /\b([a-z-]+\.md) (\d+(?:\.\d+)*)(?=[\s),;:.]|$)/g
    const citing = [...others, ...documents]
    const cited = citing.flatMap((path) =>
      [...read(path).matchAll(citation)].map(([, name = '', number = '']) => ({
        path,
        name,
        number,
      })),
    )
    const dead = cited.filter(({ name, number }) => headings.get(name)?.has(number) === false)
    expect(dead).toEqual([])
    expect(cited.filter(({ name }) => headings.has(name)).length).toBeGreaterThan(400)
  })

  test.each(documents)('relative links of %s lead somewhere', (path) => {
    const links = [...withoutCode(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const isDead = (link: string) => {
      if (/^[a-z]+:/.test(link)) return false
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      if (!existsSync(join(ROOT, target))) return true
      return anchor !== undefined && !anchorsOf(target).has(anchor)
    }
    expect(links.filter(isDead)).toEqual([])
  })

  test.each(['tutorials', 'how-to', 'reference', 'explanation'])(
    'the table of contents of docs/%s names every page',
    (folder) => {
      const names = readdirSync(join(ROOT, 'docs', folder)).filter((name) => name.endsWith('.md'))
      const contents = read(`docs/${folder}/README.md`)
      const missing = names.filter(
        (name) => name !== 'README.md' && !contents.includes(`](${name})`),
      )
      expect(missing).toEqual([])
      expect(names).toContain('README.md')
    },
  )

  /** The text of a document without its code blocks. */
  function withoutCode(path: string): string {
    return read(path).replace(/^```.*?^```$/gms, '')
  }

  /** The anchors of headings as in a link: lower case, hyphens for blanks, no punctuation. */
  function anchorsOf(path: string): ReadonlySet<string> {
    const taken = new Map<string, number>()
    const headings = [...withoutCode(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => {
      const text = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
      const name = text.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')
      const count = taken.get(name) ?? 0
      taken.set(name, count + 1)
      return count === 0 ? name : `${name}-${count}`
    })
    return new Set(headings)
  }

  /** Returns false if a name can only stand for a file or folder of the project and none exists. */
  function exists(name: string): boolean {
    const isOurFolder = ROOMS.includes(roomOf(name)) && /^[\w./-]+$/.test(name)
    if (isOurFolder) return existsSync(join(ROOT, name))
    // A source file may be named by the end of its path.
    if (/^[\w./-]+\.(ts|md)$/.test(name)) {
      return FILES.some((path) => path === name || path.endsWith(`/${name}`))
    }
    return true
  }
})
