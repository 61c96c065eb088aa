import { Injectable } from '@nestjs/common'
import { compileDdl, defineSchema } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { Visit } from './visit'

@Injectable()
export class VisitsService {
  ddl(): readonly string[] {
    return compileDdl(defineSchema([Visit]), { dialect: googlesql })
  }
}
