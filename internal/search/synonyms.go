package search

import (
	"slices"
	"strings"
	"sync"
)

// The tables are made when they are first asked for: every command of a guest
// starts with this package in it, and few of them search.

// abbreviations are short forms that stand for one thing alone, in the texts of
// tools as in a query.
var abbreviations = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"app":    {"application"},
		"auth":   {"authentication"},
		"config": {"configuration"},
		"db":     {"database"},
		"dir":    {"directory"},
		"dirs":   {"directories"},
		"doc":    {"document"},
		"docs":   {"documents"},
		"env":    {"environment"},
		"img":    {"image"},
		"info":   {"information"},
		"msg":    {"message"},
		"org":    {"organization"},
		"orgs":   {"organizations"},
		"pic":    {"picture"},
		"pr":     {"pull", "request"},
		"prs":    {"pull", "requests"},
		"repo":   {"repository"},
		"repos":  {"repositories"},
		"vm":     {"virtual", "machine"},
	}
})

// synonymGroups are words that people use for each other when they say what they
// want done. A word may stand in several groups: whoever opens a ticket makes
// one, whoever opens a file reads one. They are words of everyday work with
// files, code, tickets, mail, calendars, money and machines; the words of one
// product do not belong here but in the descriptions of its tools.
var synonymGroups = []string{
	// what is done
	"create new add make open start write",
	"delete remove erase forget drop discard destroy",
	"clear reset empty",
	"find search look lookup locate query seek",
	"list show display enumerate all",
	"get read show view fetch retrieve see display load open look",
	"update change edit modify alter adjust replace rewrite set",
	"write save store put remember record",
	"move rename relocate",
	"copy duplicate clone fork",
	"send deliver post submit publish share",
	"upload push",
	"download fetch pull get",
	"run start launch execute trigger invoke begin",
	"stop cancel abort end kill terminate halt",
	"pause suspend hold",
	"restart rerun retry repeat again",
	"close finish complete resolve end",
	"reply answer respond comment",
	"ask request",
	"approve accept confirm allow permit",
	"reject refuse decline deny",
	"assign give delegate",
	"connect link join attach associate relate relation",
	"disconnect unlink detach separate",
	"merge combine join unite",
	"compare diff difference",
	"check verify validate test inspect",
	"count number total",
	"convert transform translate",
	"sort order arrange",
	"filter select choose pick",
	"watch monitor observe follow subscribe",
	"notify notification inform remind reminder",
	"enable activate",
	"disable deactivate",
	"install setup deploy",
	"schedule plan book reserve",
	"buy purchase order",
	"pay payment charge",
	"mark flag label tag",
	"like star favorite favourite bookmark",
	// what it is done to
	"issue ticket bug problem defect report task",
	"directory folder path",
	"file document",
	"image picture photo screenshot",
	"audio sound music",
	"text content",
	"comment remark note reply",
	"user person people member account",
	"team group",
	"organization company business",
	"relation relationship connection link",
	"object entity item thing node",
	"message mail email",
	"event meeting appointment",
	"customer client",
	"invoice bill receipt",
	"price cost amount",
	"password secret credential token key",
	"permission access allow right",
	"dependency package library module",
	"function method procedure",
	"code source",
	"build job pipeline workflow ci",
	"log output trace",
	"error failure fail failed exception",
	"vulnerability vulnerable security advisory",
	"alert warning alarm",
	"version release tag revision",
	"history log",
	"repository project",
	"machine server host computer instance",
	"process program",
	"database table",
	"setting configuration option preference",
	"website site page web url link",
	"address location place",
	"weather forecast",
	// how it is
	"latest newest recent last current",
	"old previous former",
	"big large size",
	"several multiple many",
	"whole entire everything all complete full",
	"date time day",
	"i me my myself",
	"name title",
}

// synonyms are the other stems of the groups that a stem is in.
var synonyms = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}
	for _, group := range synonymGroups {
		var stems []string
		for word := range strings.FieldsSeq(group) {
			if key := stem(word); !slices.Contains(stems, key) {
				stems = append(stems, key)
			}
		}
		for _, key := range stems {
			for _, other := range stems {
				if other != key && !slices.Contains(table[key], other) {
					table[key] = append(table[key], other)
				}
			}
		}
	}
	return table
})
