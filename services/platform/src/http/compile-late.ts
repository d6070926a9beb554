import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const validators = AjvCompiler()
const serializers = SerializerSelector()

/**
 * Fastify's own compilers of schemas, each at the first request that needs it: compiling the schemas of all routes took a
 * third of a start (docs/decisions/0061). `coerceTypes` applies to queries alone, which are text on the wire.
 */
export const compileLate = {
  buildValidator: (...[schemas, options]: Parameters<typeof validators>) => {
    const customOptions = { ...options?.customOptions, coerceTypes: false }
    const strict = { ...options, customOptions } as typeof options
    type Compile = ReturnType<typeof validators>
    type Validate = ReturnType<Compile>
    return (...[route]: Parameters<Compile>): Validate => {
      const { httpPart } = route as { httpPart?: string }
      let compiled: Validate | undefined
      const validate = ((value: unknown) => {
        compiled ??= validators(schemas, httpPart === 'querystring' ? options : strict)(route)
        const outcome = compiled(value)
        validate.errors = compiled.errors ?? null
        return outcome
      }) as Validate
      return validate
    }
  },
  buildSerializer: (...options: Parameters<typeof serializers>) => {
    const compile = serializers(...options)
    return (...route: Parameters<typeof compile>) => {
      let compiled: ReturnType<typeof compile> | undefined
      return (value: unknown): string => (compiled ??= compile(...route))(value)
    }
  },
}
