import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Service } from './service.ts'

export const ServiceContext = createContext<Service | undefined>(undefined)

/** Returns the service for the pages' requests. */
export function useService(): Service {
  const service = useContext(ServiceContext)
  if (service === undefined) throw new Error('no service stands above this part of the page')
  return service
}
