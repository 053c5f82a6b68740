import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'

/**
 * Validates a value from outside against a schema.
 * @throws EngineError `bad_input` naming the place, such as `regions[0]`
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { path, message } = deepest(result.error.issues)
  throw new EngineError('bad_input', message.replace(/^Invalid input: /, ''), {
    at: z.core.toDotPath(path) || 'parameters',
  })
}

interface Place {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** Returns the issue that lies deepest in the value. For a union, it explains the most. */
function deepest(issues: readonly z.core.$ZodIssue[]): Place {
  const places = issues.map((issue): Place => {
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue
    const inner = issue.errors.map(deepest)
    const furthest = inner.reduce((best, next) =>
      next.path.length > best.path.length ? next : best,
    )
    if (furthest.path.length === 0) {
      const wanted = inner.map(({ message }) => message.replace(/^Invalid input: /, ''))
      return { path: issue.path, message: wanted.join('; or ') }
    }
    return { path: [...issue.path, ...furthest.path], message: furthest.message }
  })
  return places[0] ?? { path: [], message: 'not accepted' }
}
