// Answers queries with the whole graph in memory. It is independent of the service and follows submission.md 15.1.

export interface NaiveNode {
  readonly id: string
  readonly type: string
  readonly project: string | null
  readonly name: string | null
  readonly values: Readonly<Record<string, unknown>>
  /** Names of parents by link. */
  readonly parents: Readonly<Record<string, readonly string[]>>
}

export interface NaiveType {
  readonly category: string
  /** The target and the reverse name of each link. */
  readonly links: Readonly<Record<string, { readonly target: string; readonly backref: string }>>
}

type Given = Readonly<Record<string, unknown>>

const LEVELS: Readonly<Record<string, number>> = {
  administrative: 0,
  biospecimen: 1,
  clinical: 1,
  data_file: 3,
}
const TERMINAL = ['annotation', 'center', 'archive', 'tissue_source_site', 'file']

export class NaiveQueries {
  readonly nodes: readonly NaiveNode[]
  readonly #types: Readonly<Record<string, NaiveType>>

  /** @param nodes in the order of their creation */
  constructor(nodes: readonly NaiveNode[], types: Readonly<Record<string, NaiveType>>) {
    this.nodes = nodes
    this.#types = types
  }

  /** Ids in order. */
  list(nodes: readonly NaiveNode[], given: Given): string[] {
    const { first = 10, offset = 0 } = given as { first?: number; offset?: number }
    const found = this.#ordered(
      nodes.filter((node) => this.#fits(node, given)),
      given,
    )
    const from = found.slice(offset)
    return (first === 0 ? from : from.slice(0, first)).map(({ id }) => id)
  }

  count(nodes: readonly NaiveNode[], given: Given): number {
    return this.list(nodes, { ...given, first: given.first ?? 0 }).length
  }

  ofType(type: string): readonly NaiveNode[] {
    return this.nodes.filter((node) => node.type === type)
  }

  /** The nodes that a field of links leads to. */
  linked(node: NaiveNode, field: string): readonly NaiveNode[] {
    const link = this.#types[node.type]?.links[field]
    if (link) return this.#all(node.parents[field] ?? [])
    return this.nodes.filter((child) => {
      const links = Object.entries(this.#types[child.type]?.links ?? {})
      return links.some(
        ([name, { target, backref }]) =>
          target === node.type && backref === field && child.parents[name]?.includes(node.id),
      )
    })
  }

  neighbours(node: NaiveNode): readonly NaiveNode[] {
    const ids = this.#above(node).map(({ id }) => id)
    const isNext = (one: NaiveNode) =>
      ids.includes(one.id) || this.#above(one).some(({ id }) => id === node.id)
    return this.nodes.filter(isNext)
  }

  relatedCases(node: NaiveNode): readonly NaiveNode[] {
    const above = new Set<NaiveNode>()
    const waiting = [...this.#above(node)]
    for (const one of waiting) {
      above.add(one)
      waiting.push(...this.#above(one))
    }
    return this.ofType('case').filter((one) => above.has(one))
  }

  #above(node: NaiveNode): readonly NaiveNode[] {
    return this.#all(Object.values(node.parents).flat())
  }

  #all(ids: readonly string[]): readonly NaiveNode[] {
    return this.nodes.filter(({ id }) => ids.includes(id))
  }

  #fits(node: NaiveNode, given: Given): boolean {
    return Object.entries(given).every(([name, value]) => this.#fitsOne(node, name, value))
  }

  #fitsOne(node: NaiveNode, name: string, value: unknown): boolean {
    const list = [value].flat()
    const has = (field: unknown) => this.linked(node, String(field)).length > 0
    const reaches = (end: unknown) => this.#reaches(node, end as Given)
    switch (name) {
      case 'first':
      case 'offset':
      case 'order_by_asc':
      case 'order_by_desc':
        return true
      case 'id':
      case 'ids':
        return list.some((id) => String(id).toLowerCase() === node.id)
      case 'quick_search': {
        const fold = (text: string | null) =>
          (text ?? '').replace(/[A-Z]/g, (letter) => letter.toLowerCase())
        return [node.id, fold(node.name)].some((text) => text.includes(fold(String(value))))
      }
      case 'project_id':
        return list.length === 0 || list.includes(node.project)
      case 'with_links':
        return list.every(has)
      case 'with_links_any':
        return list.length === 0 || list.some(has)
      case 'without_links':
        return !list.some(has)
      case 'with_path_to':
        return list.every(reaches)
      case 'with_path_to_any':
        return list.some(reaches)
      case 'without_path_to':
        return !list.some(reaches)
      case 'not':
        return list.every((others) =>
          Object.entries(others as Given).every(
            ([one, values]) => [values].flat().length === 0 || !this.#has(node, one, values),
          ),
        )
      default:
        return list.length === 0 || this.#has(node, name, value)
    }
  }

  #has(node: NaiveNode, name: string, value: unknown): boolean {
    const own = name === 'submitter_id' ? node.name : node.values[name]
    const wanted = [value].flat()
    if (Array.isArray(own)) return wanted.every((one) => own.includes(one))
    return own !== undefined && own !== null && wanted.includes(own)
  }

  #reaches(node: NaiveNode, { type, id, ...wanted }: Given): boolean {
    const isEnd = (one: NaiveNode) =>
      one.type === type &&
      (id === undefined || [id].flat().includes(one.id)) &&
      Object.entries(wanted).every(([name, value]) => this.#has(one, name, value))
    return [true, false].some((isUp) => this.#leads(node, isUp, isEnd, this.#level(node)))
  }

  #leads(
    node: NaiveNode,
    isUp: boolean,
    isEnd: (node: NaiveNode) => boolean,
    level: number | undefined,
  ): boolean {
    const next = isUp
      ? this.#above(node)
      : this.nodes.filter((one) => this.#above(one).includes(node))
    return next.some((one) => {
      const own = this.#level(one)
      const turns = own !== undefined && level !== undefined && (isUp ? own > level : own < level)
      if (turns) return false
      if (isEnd(one)) return true
      return !TERMINAL.includes(one.type) && this.#leads(one, isUp, isEnd, own ?? level)
    })
  }

  #level({ type }: NaiveNode): number | undefined {
    return LEVELS[this.#types[type]?.category ?? '']
  }

  #ordered(nodes: readonly NaiveNode[], given: Given): readonly NaiveNode[] {
    const keys = (['order_by_asc', 'order_by_desc'] as const).flatMap((name) => {
      const key = given[name]
      return typeof key === 'string' ? [{ key, sign: name === 'order_by_asc' ? 1 : -1 }] : []
    })
    const keyed = (node: NaiveNode, key: string) =>
      ({ id: node.id, submitter_id: node.name, project_id: node.project, type: node.type })[key] ??
      node.values[key]
    return nodes.toSorted((a, b) => {
      for (const { key, sign } of keys) {
        const order = compared(keyed(a, key), keyed(b, key), sign)
        if (order !== 0) return order
      }
      return this.nodes.indexOf(a) - this.nodes.indexOf(b)
    })
  }
}

/** Missing values come last; texts are ordered by their bytes. */
function compared(a: unknown, b: unknown, sign: number): number {
  const [noA, noB] = [a ?? null, b ?? null].map((one) => one === null)
  if (noA || noB) return Number(noA) - Number(noB)
  if (typeof a === 'string') return sign * Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
  return sign * (Number(a) - Number(b))
}
