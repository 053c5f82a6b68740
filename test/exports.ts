import { dirname, join, normalize, sep } from 'node:path'

// Finds unused exported names from the import lines of all files.

/** A name that a file exports. */
interface Exported {
  readonly file: string
  readonly name: string
}

interface Source {
  readonly text: string
  /** The file's own declarations, by exported name. */
  readonly declared: ReadonlySet<string>
  /** Names of other files that this file re-exports. */
  readonly passedOn: ReadonlyMap<string, Exported>
  /** Names of our files that this file imports. The name `*` stands for every name that the text mentions. */
  readonly imported: readonly Exported[]
}

const DECLARATION =
  /^export\s+(?:declare\s+|abstract\s+|async\s+)*(?:const|let|function\*?|class|interface|type)\s+([\w$]+)/gm
const EXPORT_LIST = /^export\s+(?:type\s+)?\{([^}]*)\}(?:\s*from\s+'([^']+)')?/gm
const IMPORT_LIST = /^\s*import\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s+'([^']+)'/gm
const WHOLE_MODULE =
  /^import\s+(?:type\s+)?\*\s+as\s+[\w$]+\s+from\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm

/** Kinds of files, by path. */
interface Kinds {
  /** Whether users of the package import from the file, so all its names count as used. */
  readonly isPublic: (file: string) => boolean
  readonly isTest: (file: string) => boolean
  /** Whether the exports of the file may be used by tests only. */
  readonly servesTests: (file: string) => boolean
}

/**
 * Returns the exported names that no other file imports. An import by a door counts only if somebody imports
 * the name from the door. An import by a test counts only if the file also uses the name itself, since tests
 * alone are no reason to ship code.
 * @param texts contents of all files by path, with forward slashes
 */
export function unusedExports(
  texts: ReadonlyMap<string, string>,
  { isPublic, isTest, servesTests }: Kinds,
): Exported[] {
  const sources = new Map([...texts].map(([file, text]) => [file, sourceOf(file, text)]))
  const users = new Map<string, Set<string>>()
  const use = ({ file, name }: Exported, user: string) => {
    const source = sources.get(file)
    if (!source) return
    const key = `${file} ${name}`
    const known = users.get(key)
    if (known?.has(user)) return
    users.set(key, (known ?? new Set()).add(user))
    const origin = source.passedOn.get(name)
    if (origin) use(origin, user)
  }
  for (const [file, { imported, passedOn }] of sources) {
    if (isPublic(file)) for (const name of passedOn.keys()) use({ file, name }, 'the package')
    for (const { file: from, name } of imported) {
      const whole = name === '*' ? mentioned(sources.get(from), texts.get(file) ?? '') : [name]
      for (const each of whole) use({ file: from, name: each }, file)
    }
  }
  const isUsed = (file: string, name: string, { text, passedOn }: Source) => {
    const found = [...(users.get(`${file} ${name}`) ?? [])]
    if (found.some((user) => servesTests(file) || !isTest(user))) return true
    return found.length > 0 && !passedOn.has(name) && countOf(name, text) > 1
  }
  return [...sources].flatMap(([file, source]) =>
    [...source.declared, ...source.passedOn.keys()]
      .filter(
        (name) => !isUsed(file, name, source) && !(isPublic(file) && source.declared.has(name)),
      )
      .map((name) => ({ file, name })),
  )
}

function sourceOf(file: string, written: string): Source {
  const text = written.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(?<=^|\s)\/\/.*$/gm, '')
  const declared = new Set([...text.matchAll(DECLARATION)].map(([, name = '']) => name))
  const passedOn = new Map<string, Exported>()
  for (const [, list = '', from] of text.matchAll(EXPORT_LIST)) {
    for (const [name, as] of namesIn(list)) {
      if (from === undefined) declared.add(as)
      else passedOn.set(as, { file: pathOf(file, from), name })
    }
  }
  const listed = [...text.matchAll(IMPORT_LIST)].flatMap(([, list = '', from = '']) =>
    namesIn(list).map(([name]) => ({ file: pathOf(file, from), name })),
  )
  const whole = [...text.matchAll(WHOLE_MODULE)].map(([, from, loaded = '']) => ({
    file: pathOf(file, from ?? loaded),
    name: '*',
  }))
  return { text, declared, passedOn, imported: [...listed, ...whole] }
}

/** Returns the pairs of original and new name in a list such as `type A, b as c`. */
function namesIn(list: string): (readonly [name: string, as: string])[] {
  return list.split(',').flatMap((each) => {
    const [, name, as] = /^(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?$/.exec(each.trim()) ?? []
    return name === undefined ? [] : [[name, as ?? name] as const]
  })
}

function pathOf(from: string, to: string): string {
  if (!to.startsWith('.')) return to
  return normalize(join(dirname(from), to))
    .split(sep)
    .join('/')
}

function mentioned(source: Source | undefined, text: string): string[] {
  const names = [...(source?.declared ?? []), ...(source?.passedOn.keys() ?? [])]
  return names.filter((name) => countOf(name, text) > 0)
}

function countOf(name: string, text: string): number {
  return text.split(/[^\w$]+/).filter((word) => word === name).length
}
