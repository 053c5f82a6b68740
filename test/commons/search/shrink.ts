import type { Asked } from './simple-evaluator.ts'

/** Removes parts of a failing request as long as it fails, so that a counter-example is readable. */
export async function shrunk(
  asked: Asked,
  fails: (asked: Asked) => Promise<boolean>,
): Promise<Asked> {
  let smallest = asked
  search: for (;;) {
    for (const smaller of smallerThan(smallest)) {
      if (await fails(smaller)) {
        smallest = smaller
        continue search
      }
    }
    return smallest
  }
}

function* smallerThan(asked: Asked): Generator<Asked> {
  for (const facets of shorter(asked.facets ?? [])) yield { ...asked, facets }
  for (const histograms of shorter(asked.histograms ?? [])) yield { ...asked, histograms }
  for (const sort of shorter(asked.sort ?? [])) yield { ...asked, sort }
  if (asked.from > 0) yield { ...asked, from: 0 }
  if (asked.size !== 1000) yield { ...asked, size: 1000 }
  if (asked.filters !== undefined) yield { ...asked, filters: undefined }
  for (const filters of simpler(asked.filters)) yield { ...asked, filters }
}

function* shorter<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let leftOut = 0; leftOut < list.length; leftOut++) yield list.toSpliced(leftOut, 1)
}

interface Node {
  readonly op: string
  readonly content: unknown
}

function* simpler(filter: unknown): Generator<unknown> {
  if (typeof filter !== 'object' || filter === null || !('op' in filter)) return
  const { op, content } = filter as Node
  if (/^(and|or)$/i.test(op) && Array.isArray(content)) {
    yield* content
    if (content.length > 1) for (const fewer of shorter(content)) yield { op, content: fewer }
    for (const [place, part] of content.entries()) {
      for (const one of simpler(part)) yield { op, content: content.with(place, one) }
    }
    return
  }
  const { value } = content as { value?: unknown }
  if (Array.isArray(value) && value.length > 1) {
    for (const fewer of shorter(value))
      yield { op, content: { ...(content as object), value: fewer } }
  }
}
