import type { DatasetName, TableName } from '../datasets/define.ts'
import type { Step } from '../datasets/field-path.ts'
import type { Filter } from '../query/filter-tree.ts'
import { keysOfFilter, keysOfStep } from '../query/keys.ts'
import { linkKey } from '../release/layout.ts'
import type { ArrayKey } from '../release/loaded.ts'
import type { Source } from './shapes.ts'

/** Describes how to render the records of a page, as plain data for worker threads. */
export interface NodePlan {
  readonly dataset: DatasetName
  /** Fields of each edge of the page. */
  readonly edges: readonly EdgeMember[]
}

export type EdgeMember =
  | TextMember
  | { readonly kind: 'cursor'; readonly as: string }
  | { readonly kind: 'node'; readonly as: string; readonly members: readonly NodeMember[] }

/** A member with constant JSON. */
interface TextMember {
  readonly kind: 'text'
  readonly as: string
  readonly text: string
}

export type NodeMember =
  | TextMember
  | { readonly kind: 'score'; readonly as: string }
  | {
      /** An id, unique within its list and constant within a release. */
      readonly kind: 'id'
      readonly as: string
      readonly typeName: string
      readonly by: { readonly source: Source; readonly from: string } | undefined
    }
  | {
      readonly kind: 'value'
      readonly as: string
      readonly source: Source
      readonly from: string
      readonly type: 'text' | 'number' | 'boolean'
      readonly isList: boolean
    }
  | ObjectMember
  | ConnectionMember

export interface LinkPlan {
  readonly table: TableName
  readonly at: string
  readonly target: DatasetName
}

interface ObjectMember {
  readonly kind: 'object'
  readonly as: string
  readonly source: Source
  readonly from: string
  readonly link: LinkPlan | undefined
  readonly members: readonly NodeMember[]
}

export interface ConnectionMember {
  readonly kind: 'connection'
  readonly as: string
  readonly source: Source
  readonly from: string
  readonly step: Step
  /** Dataset of the elements. Undefined for elements of documents. */
  readonly records: DatasetName | undefined
  readonly link: LinkPlan | undefined
  readonly hits: readonly (TextMember | HitsMember)[]
}

export interface HitsMember {
  readonly kind: 'hits'
  readonly as: string
  readonly first: number
  readonly offset: number
  /** Filter on elements. Undefined includes all. */
  readonly only: ElementFilter | undefined
  readonly members: readonly PageMember[]
}

/** Filter on elements. All of its conditions begin with the steps to these elements. */
export interface ElementFilter {
  readonly table: DatasetName
  readonly steps: readonly Step[]
  readonly filter: Filter
}

export type PageMember =
  | TextMember
  | { readonly kind: 'total'; readonly as: string }
  | { readonly kind: 'edges'; readonly as: string; readonly edges: readonly EdgeMember[] }
  | { readonly kind: 'pageInfo'; readonly as: string; readonly members: readonly PageInfoMember[] }

export interface PageInfoMember {
  readonly as: string
  readonly from: keyof PageInfo | '__typename'
}

interface PageInfo {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

/** Returns the position of a page in its list. A cursor is a 1-based position. */
export function pageInfoOf(total: number, offset: number, count: number): PageInfo {
  return {
    hasNextPage: offset + count < total,
    hasPreviousPage: offset > 0 && total > 0,
    startCursor: count > 0 ? String(offset + 1) : null,
    endCursor: count > 0 ? String(offset + count) : null,
  }
}

export function pageInfoText(info: PageInfo, members: readonly PageInfoMember[]): string {
  const texts = members.map(({ as, from }) => {
    const value = from === '__typename' ? 'PageInfo' : info[from]
    return `${JSON.stringify(as)}:${JSON.stringify(value)}`
  })
  return `{${texts.join(',')}}`
}

/** Arrays and documents of a release that rendering needs. */
interface NodeNeeds {
  readonly keys: readonly ArrayKey[]
  readonly documents: readonly DatasetName[]
  readonly filters: readonly ElementFilter[]
}

/** Returns the arrays and documents that must be loaded to render the nodes of a plan. */
export function needsOf({ dataset, edges }: NodePlan): NodeNeeds {
  const keys = new Set<ArrayKey>()
  const documents = new Set<DatasetName>([dataset])
  const filters: ElementFilter[] = []
  const visitLink = (link: LinkPlan | undefined) => {
    if (!link) return
    keys.add(linkKey(link.table, link.at))
    documents.add(link.target)
  }
  const visitEdges = (members: readonly EdgeMember[]) => {
    for (const member of members) if (member.kind === 'node') visit(member.members)
  }
  const visit = (members: readonly NodeMember[]) => {
    for (const member of members) {
      if (member.kind === 'object') {
        visitLink(member.link)
        visit(member.members)
      }
      if (member.kind !== 'connection') continue
      visitLink(member.link)
      if (member.records) documents.add(member.records)
      for (const key of keysOfStep(member.step)) keys.add(key)
      for (const hits of member.hits) {
        if (hits.kind === 'text') continue
        if (hits.only) {
          filters.push(hits.only)
          for (const key of keysOfFilter(hits.only.filter)) keys.add(key)
          for (const step of hits.only.steps) for (const key of keysOfStep(step)) keys.add(key)
        }
        for (const one of hits.members) if (one.kind === 'edges') visitEdges(one.edges)
      }
    }
  }
  visitEdges(edges)
  return { keys: [...keys], documents: [...documents], filters }
}

/** Returns the number of values that are rendered per record, without nested lists. */
export function widthOf(edges: readonly EdgeMember[]): number {
  const width = (members: readonly NodeMember[]): number =>
    members.reduce((sum, one) => sum + (one.kind === 'object' ? width(one.members) : 1), 0)
  return edges.reduce((sum, one) => sum + (one.kind === 'node' ? width(one.members) : 1), 0)
}
