package secrets

import (
	"slices"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

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

// signedAddress finds the signature of an address that grants access for a while: of S3 and what speaks its protocol,
// Google Cloud Storage, Alibaba's and Tencent's stores, Azure's SAS, and CloudFront and older S3, whose parameter has a
// common name.
func signedAddress() rule.Rule {
	return rule.Rule{
		ID: "signed-url-signature", Specificity: rule.ByContext, Fold: true, Match: matchSignature, MaxGap: 1100,
		Keywords: []string{"-signature=", "&signature=", "?signature=", "&sig=", "?sig="},
		Hits: []string{
			"https://s.test/b/x?X-Goog-Algorithm=G&X-Goog-Signature={h64}", "X-Amz-Expires=60&X-Amz-Signature={h64}",
			"https://d.test/x?Expires=1700000000&Signature={a20}~{a20}__&Key-Pair-Id=K2",
			"?sv=2024&sig={a40}%2B{a1}%3D",
			"?AWSAccessKeyId=x&Expires=1&Signature={a25}%3D",
		},
		Misses: []string{
			"?sig=abc", "x?Signature=v4", "?signature=YOUR_SIGNATURE_GOES_HERE_PLEASE",
			"&sig=${SIGNATURE_OF_THIS_REQUEST_1}",
			"X-Amz-Signature=<signature>", "?signature=verify-the-webhook-signature-header-1",
		},
	}
}

// signatureChars are the bytes of a signature in an address, and signatureEscapes what is written for other ones.
var (
	signatureChars   = lex.NewClass("A-Za-z0-9+/_=~-")
	signatureEscapes = []string{"%2b", "%2f", "%3d", "%7e"}
)

// matchSignature matches the value behind the parameter s[at:end].
func matchSignature(s string, _, end int) (int, int) {
	to := signatureChars.Run(s, end, 1024)
	for to-end < 1024 && slices.ContainsFunc(signatureEscapes, func(e string) bool { return lex.HasFold(s, to, e) }) {
		to = signatureChars.Run(s, to+3, 1024)
	}
	text := s[end:to]
	chars := lex.CountChars(text)
	if len(text) < 24 || lex.Placeholder(text) || chars.Digit < 3 {
		return 0, 0
	}
	if words, _, _ := lex.WordsIn(text); words > 0 || !chars.Hex && (chars.Upper == 0 || chars.Lower == 0) {
		return 0, 0
	}
	return end, to
}
