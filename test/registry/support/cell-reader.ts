import type { Random } from '../../../fixtures/random.ts'

// Reads cells of staging tables as a user of the codebook does (registry.md 4.2), independently of the engine.

const isNumber = (bound: string) => /^-?\d+(\.\d+)?$/.test(bound)

/** Whether a cell such as `000-010, 999` lists a value; `{{ctx_year_current}}` is 2026. */
export function lists(cell: string, value: string): boolean {
  if (cell === '*') return true
  return cell
    .replaceAll('{{ctx_year_current}}', '2026')
    .split(',')
    .map((part) => part.trim())
    .some((part) => {
      if (part === value) return true
      const [low = '', high = '', ...more] = part.split('-').map((bound) => bound.trim())
      if (more.length > 0 || high === '') return false
      if (isNumber(low) && isNumber(high)) {
        const isWhole = !low.includes('.') && !high.includes('.')
        if (!isNumber(value) || (isWhole && value.includes('.'))) return false
        return Number(low) <= Number(value) && Number(value) <= Number(high)
      }
      return (
        value.length === low.length && low.length === high.length && low <= value && value <= high
      )
    })
}

/** A value that a cell lists. */
export function oneOf(cell: string, random: Random): string {
  const parts = cell
    .replaceAll('{{ctx_year_current}}', '2026')
    .split(',')
    .map((one) => one.trim())
  const part = parts[random.below(parts.length)] ?? ''
  const [low = '', high = '', ...more] = part.split('-').map((bound) => bound.trim())
  if (more.length > 0 || high === '' || low === high) return part
  const [, letter = '', from = '', to = ''] =
    /^([A-Z]?)(\d+)-[A-Z]?(\d+)$/.exec(`${low}-${high}`) ?? []
  if (from === '') return low
  const value = Number(from) + random.below(Number(to) - Number(from) + 1)
  return letter + String(value).padStart(from.length, '0')
}

/** Draws one of the given values. */
export const pick = <T>(all: readonly T[], random: Random): T => {
  const one = all[random.below(all.length)]
  if (one === undefined) throw new Error('there is nothing to choose from')
  return one
}
