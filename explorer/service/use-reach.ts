import { useEffect, useState } from 'preact/hooks'
import { useService } from './context.ts'
import type { Reach } from './service.ts'

/** Returns whether the service can be reached, and follows its changes. */
export function useReach(): Reach {
  const service = useService()
  const [reach, setReach] = useState(service.reach)
  useEffect(() => {
    setReach(service.reach)
    return service.follow(setReach)
  }, [service])
  return reach
}
