package secrets

import "candor/safety/internal/rule"

// webhookRules finds addresses that start something or accept posts from whoever knows them. Each
// rule's hosts belong to services that document it so; the path is the secret, and the address is
// masked from its host on.
func webhookRules() []rule.Rule {
	return []rule.Rule{
		// Automation: Zapier, Make and Integromat, IFTTT, Pipedream, webhook.site, and n8n on any
		// host, whose paths are UUIDs unless somebody chose another.
		rule.Link("flow-post-url", "hooks.zapier.com/hooks/catch/{d4+}/{a5+}",
			"hooks.zapier.com/hooks/standard/{d4+}/{x20+}",
			"hook.eu1.make.com/{a20+}", "hook.eu2.make.com/{a20+}", "hook.us1.make.com/{a20+}",
			"hook.us2.make.com/{a20+}", "hook.integromat.com/{a20+}", "webhook.site/"+uuid,
			"maker.ifttt.com/trigger/{k1-60}/with/key/{k20+}", "maker.ifttt.com/trigger/{k1-60}/json/with/key/{k20+}"),
		rule.LooseToken("workflow-post-path", "/webhook/"+uuid, "/webhook-test/"+uuid),
		rule.Token("event-source-url", "{a10-20}<.m.pipedream.net>"),

		// Chat: WeCom, Feishu and Lark, DingTalk, Google Chat, Mattermost, Rocket.Chat and newer
		// ones of Discord and Teams, which posts by way of a flow whose address is signed.
		rule.Link("team-room-post-url", "qyapi.weixin.qq.com/cgi-bin/webhook/send?key={n30+}",
			"open.feishu.cn/open-apis/bot/v2/hook/{n30+}", "open.feishu.cn/open-apis/bot/hook/{n30+}",
			"open.larksuite.com/open-apis/bot/v2/hook/{n30+}", "oapi.dingtalk.com/robot/send?access_token={x40+}",
			"chat.googleapis.com/v1/spaces/{k5-20}/messages?key={k30-50}&token={p30+}"),
		rule.LooseToken("room-post-url", "/hooks/{l26}", "/hooks/{a17}/{a30+}"),
		rule.Link("versioned-guild-post-url", "discord.com/api/v6/webhooks/{d15-21}/{k50+}",
			"discord.com/api/v8/webhooks/{d15-21}/{k50+}", "discord.com/api/v9/webhooks/{d15-21}/{k50+}",
			"discord.com/api/v10/webhooks/{d15-21}/{k50+}"),
		rule.LooseToken("flow-signature", "&sig={k43}", "?sig={k43}"),

		// Deployments: Netlify, Vercel, Render and Cloudflare Pages start a build; Healthchecks
		// records a run.
		rule.Link("release-start-url", "api.netlify.com/build_hooks/{x24}",
			"api.vercel.com/v1/integrations/deploy/prj_{a20+}/{a8+}", "api.render.com/deploy/srv-{a20}?key={k8+}",
			"api.cloudflare.com/client/v4/pages/webhooks/deploy_hooks/"+uuid, "hc-ping.com/"+uuid,
			"hooks.airtable.com/workflows/v1/genericWebhook/{a14+}/{a14+}/{a14+}"),
	}
}
