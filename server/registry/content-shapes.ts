import { z } from '@hono/zod-openapi'
import type { Shape } from '../../engine/registry/internal.ts'

type Members = Record<string, z.ZodType>

/** Converts the engine's descriptions of contents to schemas for the API document. */
export class ContentShapes {
  /** Schemas by shape, so that each named object is described once. */
  readonly #known = new Map<Shape, z.ZodObject>()

  /**
   * Returns the schemas of an object's members.
   * @param needs whether required members are marked as required
   */
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
