import {
  DATASET_NAMES,
  type DatasetName,
  type FieldTree,
  type FieldType,
} from '../../../engine/commons/datasets/define.ts'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import type { Random } from '../../../fixtures/random.ts'
import type { Document, OwnDocuments } from './whole-documents.ts'

// Small releases with everything that documents may hold and hardly ever do: empty arrays, nulls,
// parts that are absent, texts that differ in case alone, values twice, numbers as texts, objects
// where arrays are usual and arrays where objects are.

/** The parameters that differ between releases. */
export interface Flavour {
  /** The minimum and maximum number of records per dataset. */
  readonly records: readonly [number, number]
  /** The maximum number of elements in an array of objects. */
  readonly elements: number
  /** The number of fields in use per group. */
  readonly fieldsPerGroup: number
  /** The probability that a field or group is absent. */
  readonly absent: number
}

const TEXTS = [
  'Alpha',
  'alpha',
  'ALPHA',
  'beta',
  'Beta Gamma',
  'beta gamma',
  'delta*',
  'd?lta',
  'a.b',
  'x-1',
  'Straße',
  'ÄRGER',
  'ärger',
  'été',
  '日本',
  '\u{1d4b3} set',
  '\ufe4f line',
  'İzmir',
  '',
  ' ',
  '10',
  '9',
  '007',
  'true',
  'missing',
  '_missing',
  'Not Reported',
  'not reported',
  'back\\slash',
  'qu"ote',
  '2020-01-02T03:04:05.678901-05:00',
  '2021-11-30T00:00:00.000000-06:00',
  'a,b',
  'tab\there',
  '[x]',
] as const

const WHOLES = [
  -31,
  -1,
  0,
  1,
  2,
  3,
  10,
  20,
  20,
  365,
  1_000_000_007,
  4_000_000_000,
  '7',
  '20',
] as const
/** Multiples of powers of two, whose sums are exact in any order. */
const DECIMALS = [
  -2.5,
  -0.25,
  0,
  0.5,
  1,
  1.5,
  2.25,
  20,
  98.625,
  2 ** -10,
  1e6,
  '0.5',
  '20.0',
] as const
const TRUTHS = [true, false, 'true', 'True', 'false'] as const

/** Fields other than mounts that name records of other datasets, by dataset and path. */
const NAMING: Readonly<Record<string, DatasetName>> = {
  ...Object.fromEntries(
    Object.values(DATASETS).flatMap(({ name, joins }) =>
      joins.flatMap((join) =>
        join.kind === 'link' && join.idAt ? [[`${name} ${join.idAt}`, join.dataset]] : [],
      ),
    ),
  ),
  'ssms consequence.transcript.gene.gene_id': 'genes',
  'cnvs consequence.gene.gene_id': 'genes',
}

/** A release uses only a few values of each list, so that equal values are frequent. */
class Vocabulary {
  readonly #random: Random
  readonly #chosen = new Map<string, readonly unknown[]>()

  constructor(random: Random) {
    this.#random = random
  }

  of(type: FieldType, path: string): unknown {
    const chosen = this.#chosen.get(path) ?? this.#choose(type, path)
    return chosen[this.#random.below(chosen.length)]
  }

  #choose(type: FieldType, path: string): readonly unknown[] {
    const list = listOf(type)
    const size = 2 + this.#random.below(6)
    const chosen = Array.from({ length: size }, () => list[this.#random.below(list.length)])
    // Some documents hold keywords as JSON booleans or numbers.
    if (type === 'keyword' && this.#random.chance(0.1)) chosen.push(true, false, 5)
    this.#chosen.set(path, chosen)
    return chosen
  }
}

function listOf(type: FieldType): readonly unknown[] {
  if (type === 'long') return WHOLES
  if (type === 'double' || type === 'float') return DECIMALS
  return type === 'boolean' ? TRUTHS : TEXTS
}

/** Distinct ids in ascending order of their UTF-8 bytes, by which they are compared. */
function idsOf(random: Random, name: DatasetName, count: number): string[] {
  const isCode = DATASETS[name].fields[DATASETS[name].idField] === 'exact'
  const ids = new Map<string, string>()
  while (ids.size < count) {
    const digits = (random.bits() >>> 0).toString(16).padStart(8, '0')
    const code = `${random.chance(0.5) ? 'Demo' : 'X'}-${digits.slice(0, 4).toUpperCase()}`
    const uuid = `${digits}-0000-4000-8000-00000000000${random.below(10)}`
    if (isCode) ids.set(code, code)
    else ids.set(uuid, random.chance(0.1) ? uuid.toUpperCase() : uuid)
  }
  return [...ids]
    .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .map(([, id]) => id)
}

export function randomDocuments(random: Random, flavour: Flavour): OwnDocuments {
  const [fewest, most] = flavour.records
  const ids = Object.fromEntries(
    DATASET_NAMES.map((name) => [
      name,
      idsOf(random, name, fewest + random.below(most - fewest + 1)),
    ]),
  ) as Record<DatasetName, string[]>
  const entries = DATASET_NAMES.map((name) => {
    const maker = new Maker(random, flavour, name, ids)
    return [name, ids[name].map((id) => maker.document(id))] as const
  })
  return Object.fromEntries(entries) as unknown as OwnDocuments
}

class Maker {
  readonly #random: Random
  readonly #flavour: Flavour
  readonly #name: DatasetName
  readonly #ids: Readonly<Record<DatasetName, readonly string[]>>
  readonly #vocabulary: Vocabulary
  readonly #inUse = new Map<string, ReadonlySet<string>>()

  constructor(
    random: Random,
    flavour: Flavour,
    name: DatasetName,
    ids: Readonly<Record<DatasetName, readonly string[]>>,
  ) {
    this.#random = random
    this.#flavour = flavour
    this.#name = name
    this.#ids = ids
    this.#vocabulary = new Vocabulary(random)
  }

  document(id: string): Document {
    const { idField, fields, hidden } = DATASETS[this.#name]
    return { [idField]: id, ...this.#group([fields, hidden], '', idField) }
  }

  #group(trees: readonly FieldTree[], path: string, but = ''): Document {
    const random = this.#random
    const document: Record<string, unknown> = {}
    for (const tree of trees) {
      const leaves = Object.keys(tree).filter((name) => typeof tree[name] === 'string')
      for (const name of leaves) {
        const here = path === '' ? name : `${path}.${name}`
        const named = NAMING[`${this.#name} ${here}`]
        if (name === but || !(named || this.#isInUse(path, leaves, name))) continue
        if (random.chance(this.#flavour.absent)) continue
        document[name] = named ? this.#nameOf(named) : this.#value(tree[name] as FieldType, here)
      }
    }
    for (const name of new Set(trees.flatMap((tree) => Object.keys(tree)))) {
      const below = trees.map((tree) => tree[name]).filter((node) => typeof node === 'object')
      if (below.length === 0 || random.chance(this.#flavour.absent / 2)) continue
      const part = this.#part(below, path === '' ? name : `${path}.${name}`)
      if (part !== undefined) document[name] = part
    }
    return document
  }

  #isInUse(path: string, leaves: readonly string[], name: string): boolean {
    let inUse = this.#inUse.get(path)
    if (!inUse) {
      const count = Math.min(leaves.length, this.#flavour.fieldsPerGroup)
      const chosen = Array.from({ length: count }, () => leaves[this.#random.below(leaves.length)])
      inUse = new Set(chosen.filter((leaf) => leaf !== undefined))
      this.#inUse.set(path, inUse)
    }
    return inUse.has(name)
  }

  /** One of the first few ids, so that many records name the same one; or none. */
  #nameOf(name: DatasetName): unknown {
    if (this.#random.chance(0.1)) return null
    return this.#linkTo(name, 6)
  }

  /** Returns one value, several, or none. */
  #value(type: FieldType, path: string): unknown {
    const random = this.#random
    const one = () => this.#vocabulary.of(type, path)
    const unit = random.unit()
    if (unit < 0.1) return null
    if (unit < 0.16) return []
    if (unit < 0.3) return Array.from({ length: 1 + random.below(3) }, one)
    if (unit < 0.33) return [one(), null, one()]
    return one()
  }

  #part(trees: readonly FieldTree[], path: string): unknown {
    const random = this.#random
    const { mounts, nested } = DATASETS[this.#name]
    const mount = mounts.find(({ at }) => at === path)
    if (mount?.kind === 'reverse') return undefined
    if (random.chance(0.04)) return null
    const make = () => {
      if (mount === undefined) return this.#group(trees, path)
      const own = trees.map((tree) =>
        Object.fromEntries(Object.entries(tree).filter(([name]) => mount.own.includes(name))),
      )
      return { [mount.by]: this.#linkTo(mount.dataset), ...this.#group(own, path) }
    }
    if (nested.includes(path)) {
      const count = random.below(this.#flavour.elements + 1)
      const elements = Array.from({ length: count }, make)
      const several = mount === undefined ? elements : distinctBy(mount.by, elements)
      // A single element may occur without its array.
      return several.length === 1 && random.chance(0.05) ? several[0] : several
    }
    // Plain groups are objects; as arrays, they give their fields several values.
    if (mount === undefined && random.chance(0.06)) return [make(), make()]
    return make()
  }

  #linkTo(name: DatasetName, most = Number.POSITIVE_INFINITY): string {
    const ids = this.#ids[name].slice(0, most)
    const id = ids[this.#random.below(ids.length)]
    if (id === undefined || this.#random.chance(0.06)) return 'ffffffff-dead-4000-8000-000000000000'
    const isCode = DATASETS[name].fields[DATASETS[name].idField] === 'exact'
    return !isCode && this.#random.chance(0.1) ? id.toUpperCase() : id
  }
}

/** Keeps one element per name, because a file names a case only once. */
function distinctBy(name: string, elements: readonly Document[]): Document[] {
  const folded = (element: Document) => String(element[name]).toLowerCase()
  return [...new Map(elements.map((element) => [folded(element), element])).values()]
}
