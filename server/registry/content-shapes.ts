import { z } from '@hono/zod-openapi'
import type { Shape } from '../../engine/registry/internal.ts'

type Members = Record<string, z.ZodType>

/** Schemas for the API document of what the engine says that contents hold. */
export class ContentShapes {
  /** An object of a name is described once. */
  readonly #known = new Map<Shape, z.ZodObject>()

  /** The members of an object; which of them must be there is given where `needs` is. */
  members(shape: Shape & { readonly is: 'object' }, needs: 'needed' | 'none' = 'needed'): Members {
    const isNeeded = (name: string) => needs === 'needed' && shape.needed.includes(name)
    const entries = Object.entries(shape.members).map(([name, member]) => {
      const schema = this.#schema(member)
      return [name, isNeeded(name) ? schema : schema.optional()]
    })
    return Object.fromEntries(entries)
  }

  #schema(shape: Shape): z.ZodType {
    switch (shape.is) {
      case 'text':
        return shape.form ? z.string().describe(`Give ${shape.form.wanted}`) : z.string()
      case 'whole':
        return z.int().min(shape.from).max(shape.to)
      case 'word':
        return z.enum(shape.words)
      case 'list':
        return z.array(this.#schema(shape.of))
      case 'object': {
        const known = this.#known.get(shape)
        if (known) return known
        const made = z.object(this.members(shape)).openapi(shape.name)
        this.#known.set(shape, made)
        return made
      }
    }
  }
}
